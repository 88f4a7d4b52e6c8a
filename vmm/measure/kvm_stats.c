/* KVM's statistics file descriptors: see kvm_stats.h. */
#include "kvm_stats.h"

#include <linux/kvm.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int kvm_stats_open(int vm_or_vcpu_fd)
{
	return ioctl(vm_or_vcpu_fd, KVM_GET_STATS_FD, NULL);
}

static bool read_exactly(int fd, void *buffer, size_t size, uint64_t offset)
{
	return pread(fd, buffer, size, (off_t)offset) == (ssize_t)size;
}

static void take_entry(struct kvm_stats_layout *layout, const struct kvm_stats_header *header,
		       const struct kvm_stats_desc *desc)
{
	struct kvm_stats_entry *entry = &layout->entries[layout->count];
	size_t length = strnlen(desc->name, header->name_size);

	if (desc->size != 1 || length >= sizeof(entry->name))
		return;
	memcpy(entry->name, desc->name, length);
	entry->offset = header->data_offset + desc->offset;
	layout->count++;
}

void kvm_stats_layout_read(struct kvm_stats_layout *layout, int stats_fd)
{
	struct kvm_stats_header header;
	size_t desc_size;
	char *descs;

	memset(layout, 0, sizeof(*layout));
	if (stats_fd < 0 || !read_exactly(stats_fd, &header, sizeof(header), 0))
		return;
	desc_size = sizeof(struct kvm_stats_desc) + header.name_size;
	descs = calloc(header.num_desc, desc_size);
	layout->entries = calloc(header.num_desc, sizeof(*layout->entries));
	if (descs && layout->entries &&
	    read_exactly(stats_fd, descs, header.num_desc * desc_size, header.desc_offset))
		for (unsigned i = 0; i < header.num_desc; i++)
			take_entry(layout, &header,
				   (const struct kvm_stats_desc *)(descs + i * desc_size));
	free(descs);
}

void kvm_stats_layout_free(struct kvm_stats_layout *layout)
{
	free(layout->entries);
	memset(layout, 0, sizeof(*layout));
}

uint64_t kvm_stats_find(const struct kvm_stats_layout *layout, const char *name)
{
	for (unsigned i = 0; i < layout->count; i++)
		if (!strcmp(layout->entries[i].name, name))
			return layout->entries[i].offset;
	return 0;
}

uint64_t kvm_stats_value(int stats_fd, uint64_t offset)
{
	uint64_t value;

	if (stats_fd < 0 || !offset || !read_exactly(stats_fd, &value, sizeof(value), offset))
		return 0;
	return value;
}

static bool name_all(struct kvm_stats *sum, const struct kvm_stats_layout *layout)
{
	sum->stats = calloc(layout->count, sizeof(*sum->stats));
	if (!sum->stats)
		return false;
	for (unsigned i = 0; i < layout->count; i++)
		memcpy(sum->stats[i].name, layout->entries[i].name, sizeof(sum->stats[i].name));
	sum->count = layout->count;
	return true;
}

void kvm_stats_add(struct kvm_stats *sum, const struct kvm_stats_layout *layout, int stats_fd)
{
	if (stats_fd < 0 || layout->count == 0 || (!sum->stats && !name_all(sum, layout)))
		return;
	for (unsigned i = 0; i < sum->count; i++)
		sum->stats[i].value += kvm_stats_value(stats_fd, layout->entries[i].offset);
}
