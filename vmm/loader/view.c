/* Image files as read-only mappings: see loader.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "loader.h"

#define VIEW_MIN_BYTES 2

static int map_open_file(int fd, const char *path, struct view *out, struct error *e)
{
	struct stat status;
	void *data;

	if (fstat(fd, &status) < 0)
		return error_set(e, TK_EXIT_USAGE, "%s: %s", path, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return error_set(e, TK_EXIT_USAGE, "%s: not a regular file", path);
	if (status.st_size < VIEW_MIN_BYTES)
		return error_set(e, TK_EXIT_USAGE, "%s: file of %lld bytes is no image", path,
				 (long long)status.st_size);
	data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return error_set(e, TK_EXIT_USAGE, "%s: %s", path, strerror(errno));
	*out = (struct view){.data = data, .size = (uint64_t)status.st_size, .path = path};
	return 0;
}

int view_map(const char *path, struct view *out, struct error *e)
{
	/* Not blocking: a FIFO is then refused as no regular file, not waited for. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int result;

	if (fd < 0)
		return error_set(e, TK_EXIT_USAGE, "%s: %s", path, strerror(errno));
	result = map_open_file(fd, path, out, e);
	close(fd);
	return result;
}

void view_unmap(struct view *view)
{
	munmap((void *)(uintptr_t)view->data, view->size);
	*view = (struct view){0};
}
