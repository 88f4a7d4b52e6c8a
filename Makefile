# tickvm: every verb. Quiet by default; V=1 shows the commands.
#
#   make run       build all, boot the ISO under the VMM, print the verdict
#   make test      all tests, under 10 minutes on 2 CPUs
#   make           build both halves and the ISO
#   make help      the other verbs

B       := build
PREFIX  ?= /usr/local
DESTDIR ?=
APP     ?= smoke
CC      ?= gcc

V ?= 0
ifeq ($(V),0)
Q   := @
say = @printf '  %-7s %s\n' '$(1)' '$(2)'
else
Q   :=
say = @:
endif

MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SECONDARY:

.PHONY: all
all: $(B)/tickvm $(B)/tickvm-mutants $(B)/tickvm.elf $(B)/tickvm-mutants.elf $(B)/tickvm.iso

.PHONY: help
help:
	@sed -n '/^# tickvm/,/^$$/p' Makefile | sed 's/^# \?//'
	@sed -n 's/^#: /  make /p' Makefile

# ---- what must be there first ------------------------------------------------

# The packages, and newlib built once: kept over `make clean`.
$(B)/.deps: scripts/deps
	$(Q)mkdir -p $(B)
	$(Q)scripts/deps
	$(Q)touch $@

NEWLIB := $(B)/newlib
$(NEWLIB)/lib/libc.a: scripts/newlib scripts/newlib-cc | $(B)/.deps
	$(Q)scripts/newlib $(NEWLIB)
	$(Q)touch $@

# The revision that results and images carry; rewritten only when it changes.
REVISION := $(shell git describe --always --dirty 2>/dev/null || echo unknown)
$(B)/revision.h: FORCE
	$(Q)mkdir -p $(B)
	$(Q)echo '#define TICKVM_REVISION "$(REVISION)"' | cmp -s - $@ || \
		echo '#define TICKVM_REVISION "$(REVISION)"' > $@
.PHONY: FORCE
FORCE:

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wpointer-arith -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Wundef -Wno-unused-parameter
COMMON   := -std=gnu17 -O2 -g -MMD -MP -I. -I$(B) $(WARNINGS) -ffile-prefix-map=$(CURDIR)=.

# ---- the guest ---------------------------------------------------------------

GUEST_SOURCES := $(wildcard kernel/*.c kernel/*.S drivers/*.c apps/*.c)
GUEST_OBJECTS := $(GUEST_SOURCES:%=$(B)/guest/%.o)
MUTANT_GUEST_OBJECTS := $(GUEST_SOURCES:%=$(B)/guest-mutants/%.o)

# Integer registers only, no red zone, frame pointers: see DESIGN in kernel/README.md.
GUEST_FLAGS := $(COMMON) -nostdinc -isystem $(NEWLIB)/include \
	-isystem $(shell $(CC) -print-file-name=include) \
	$(foreach m,__linux__ __linux linux __gnu_linux__ __unix__ __unix unix,-U$(m)) \
	-D__DYNAMIC_REENT__ -D_POSIX_TIMERS=1 -D_POSIX_MONOTONIC_CLOCK=1 -mgeneral-regs-only -mno-red-zone -fcf-protection=none \
	-fno-pic -fno-pie -fno-stack-protector -fno-omit-frame-pointer \
	-fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections

# The integer family stands in for printf and its kin: no floating point is linked.
INTEGER_PRINTF := $(foreach p,printf fprintf sprintf snprintf vprintf vfprintf vsprintf vsnprintf,\
	-Wl,--defsym=$(p)=$(p:%printf=%iprintf))
GUEST_LINK := -nostdlib -static -no-pie -Wl,-T,linker.ld -Wl,--gc-sections -Wl,--build-id=none \
	-Wl,-z,max-page-size=4096 -Wl,-z,noexecstack $(INTEGER_PRINTF)
GUEST_LIBS := $(NEWLIB)/lib/libc.a $(shell $(CC) -print-libgcc-file-name)

$(B)/guest/%.o: % | $(NEWLIB)/lib/libc.a
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(GUEST_FLAGS) -c $< -o $@

$(B)/guest-mutants/%.o: % | $(NEWLIB)/lib/libc.a
	$(call say,CC,$< (mutants))
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(GUEST_FLAGS) $(if $(filter apps/redzone.c,$<),-mred-zone) -DTICKVM_MUTANTS -c $< -o $@

$(B)/guest/kernel/main.c.o $(B)/guest-mutants/kernel/main.c.o: $(B)/revision.h

# Linked twice: the symbol table of the backtrace is made from the first image, and
# lies behind all code, whose addresses therefore stay.
define guest_image
	$(call say,LD,$@)
	$(Q)scripts/ksyms /dev/null > $@.syms0.S
	$(Q)$(CC) -c $@.syms0.S -o $@.syms0.o
	$(Q)$(CC) $(GUEST_LINK) -o $@.pass1 $(1) $@.syms0.o $(GUEST_LIBS)
	$(Q)scripts/ksyms $@.pass1 > $@.syms.S
	$(Q)$(CC) -c $@.syms.S -o $@.syms.o
	$(Q)$(CC) $(GUEST_LINK) -o $@ $(1) $@.syms.o $(GUEST_LIBS)
	$(Q)rm -f $@.pass1 $@.syms0.S $@.syms0.o $@.syms.S $@.syms.o
endef

$(B)/tickvm.elf: $(GUEST_OBJECTS) linker.ld scripts/ksyms scripts/check-image
	$(call guest_image,$(GUEST_OBJECTS))
	$(Q)scripts/check-image $@

# Not checked: its mutants are what the check must flag (tests/cases).
$(B)/tickvm-mutants.elf: $(MUTANT_GUEST_OBJECTS) linker.ld scripts/ksyms
	$(call guest_image,$(MUTANT_GUEST_OBJECTS))

# ---- the VMM -----------------------------------------------------------------

VMM_SOURCES := $(wildcard vmm/*.c vmm/*/*.c)
VMM_FLAGS   := $(COMMON) -D_GNU_SOURCE -DTICKVM_PREFIX='"$(PREFIX)"'
VMM_LIBS    := -ljansson -lcapstone -lm -lpthread

# Static: starts faster, and one file goes into the lab. Its code lies where no guest's
# does, so that there an instruction's address alone says whose it is.
VMM_LINK    := -static -no-pie -Wl,-Ttext-segment=0x40000000
VMM_OBJECTS := $(VMM_SOURCES:%=$(B)/vmm/%.o)
MUTANT_VMM_OBJECTS := $(VMM_SOURCES:%=$(B)/vmm-mutants/%.o)
# The VMM with sanitizers, as a library for the unit tests.
UNIT_VMM_OBJECTS := $(filter-out %/vmm/main.c.o,$(VMM_SOURCES:%=$(B)/unit/%.o))

# The DSDT, compiled to the bytes that the loader copies.
$(B)/dsdt.aml: vmm/loader/dsdt.asl vmm/machine_map.h | $(B)/.deps
	$(call say,IASL,$<)
	$(Q)iasl -p $(basename $@) $< > $@.log 2>&1 || { cat $@.log; exit 1; }
$(B)/dsdt.h: $(B)/dsdt.aml
	$(Q){ echo '/* From vmm/loader/dsdt.asl. */'; echo 'static const unsigned char dsdt_aml[] = {'; \
		od -An -v -tx1 $< | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'; echo '};'; } > $@
$(foreach v,vmm vmm-mutants unit tsan,$(B)/$(v)/vmm/loader/acpi.c.o): $(B)/dsdt.h
$(foreach v,vmm vmm-mutants unit tsan,$(B)/$(v)/vmm/report/result.c.o $(B)/$(v)/vmm/main.c.o): $(B)/revision.h

# Names of system calls by their numbers, from the kernel's own header.
$(B)/syscall_names.h: | $(B)/.deps
	$(Q)echo '#include <asm/unistd_64.h>' | $(CC) -E -dM - | \
		sed -n 's/^#define __NR_\([a-z0-9_]*\) \([0-9]*\)$$/[\2] = "\1",/p' | sort > $@
$(foreach v,vmm vmm-mutants unit tsan,$(B)/$(v)/vmm/measure/syscalls.c.o): $(B)/syscall_names.h

$(B)/vmm/%.o: % | $(B)/.deps
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(VMM_FLAGS) -c $< -o $@

$(B)/vmm-mutants/%.o: % | $(B)/.deps
	$(call say,CC,$< (mutants))
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(VMM_FLAGS) -DTICKVM_MUTANTS -c $< -o $@

$(B)/tickvm: $(VMM_OBJECTS)
	$(call say,LD,$@)
	$(Q)$(CC) $(VMM_LINK) -o $@ $^ $(VMM_LIBS)

$(B)/tickvm-mutants: $(MUTANT_VMM_OBJECTS)
	$(call say,LD,$@)
	$(Q)$(CC) $(VMM_LINK) -o $@ $^ $(VMM_LIBS)

# ---- the ISO -----------------------------------------------------------------

#: iso UEFI=1      an ISO that UEFI firmware boots too
UEFI ?= 0
.PHONY: iso
iso: $(B)/tickvm$(if $(filter 1,$(UEFI)),-uefi).iso

$(B)/tickvm.iso: $(B)/tickvm.elf scripts/iso scripts/grub.cfg
	$(call say,ISO,$@)
	$(Q)scripts/iso bios $(B)/tickvm.elf $@

$(B)/tickvm-uefi.iso: $(B)/tickvm.elf scripts/iso scripts/grub.cfg
	$(call say,ISO,$@)
	$(Q)scripts/iso hybrid $(B)/tickvm.elf $@

# ---- running -----------------------------------------------------------------

#: run APP=NAME    boot the ISO under the VMM (or, without /dev/kvm, QEMU's emulator)
.PHONY: run
run: $(B)/tickvm $(B)/tickvm.iso
	$(Q)scripts/run $(B)/tickvm $(B)/tickvm.iso $(APP)

#: bench           the figures of the README, measured here and now
.PHONY: bench
bench: all $(B)/bench-floor
	$(Q)tests/bench

# ---- tests -------------------------------------------------------------------

UNIT_FLAGS := $(VMM_FLAGS) -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	-fno-omit-frame-pointer
UNIT_TESTS := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/test_*.c))

$(B)/unit/%.c.o: %.c | $(B)/.deps
	$(call say,CC,$< (sanitizers))
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(UNIT_FLAGS) -c $< -o $@

$(B)/unit/libvmm.a: $(UNIT_VMM_OBJECTS)
	$(Q)rm -f $@
	$(Q)ar rcs $@ $^

$(B)/unit/test_%: $(B)/unit/tests/unit/test_%.c.o $(B)/unit/libvmm.a
	$(call say,LD,$@)
	$(Q)$(CC) -fsanitize=address,undefined -o $@ $^ -lcmocka $(VMM_LIBS)

# The VMM with sanitizers, for runs of whole guests and of malformed images.
$(B)/tickvm-asan: $(B)/unit/vmm/main.c.o $(UNIT_VMM_OBJECTS)
	$(call say,LD,$@)
	$(Q)$(CC) -fsanitize=address,undefined -o $@ $^ $(VMM_LIBS)

# The VMM with ThreadSanitizer, which excludes the other sanitizers.
TSAN_VMM_OBJECTS := $(VMM_SOURCES:%=$(B)/tsan/%.o)
$(B)/tsan/%.c.o: %.c | $(B)/.deps
	$(call say,CC,$< (threads))
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(VMM_FLAGS) -fsanitize=thread -c $< -o $@

$(B)/tickvm-tsan: $(TSAN_VMM_OBJECTS)
	$(call say,LD,$@)
	$(Q)$(CC) -fsanitize=thread -o $@ $^ $(VMM_LIBS)

# The floor of `make bench`: the bare KVM calls of one VM, no VMM around them.
$(B)/bench-floor: tests/bench-floor.c | $(B)/.deps
	$(call say,CC,$<)
	$(Q)$(CC) $(COMMON) -D_GNU_SOURCE -static -o $@ $<

# Tiny guests for the tests of how runs end.
TEST_GUESTS := $(patsubst tests/cli/guests/%.S,$(B)/guests/%.elf,$(wildcard tests/cli/guests/*.S))

$(B)/guests/%.elf: tests/cli/guests/%.S $(wildcard tests/cli/guests/*.inc)
	$(call say,AS,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -m32 -nostdlib -static -no-pie -Wl,-N -Wl,--no-warn-rwx-segments -Wl,-Ttext=0x100000 \
		-Wl,--build-id=none -o $@ $<

# The malformed images of BC-24, from the good ones.
$(B)/bc24-images: $(wildcard tests/cases/bc24/*.c) tests/cases/bc24/image.h | $(B)/.deps
	$(call say,CC,tests/cases/bc24/*.c)
	$(Q)$(CC) $(filter-out -MMD -MP,$(COMMON)) -D_GNU_SOURCE -o $@ $(filter %.c,$^)
$(B)/cases/bc24/expect.txt: $(B)/bc24-images $(B)/tickvm.elf $(B)/tickvm.iso
	$(Q)mkdir -p $(@D)
	$(Q)$< $(B)/tickvm.elf $(B)/tickvm.iso $(@D)

#: unit            the unit tests only
.PHONY: unit
unit: $(UNIT_TESTS)
	$(Q)tests/run unit

.PHONY: test
test: all $(UNIT_TESTS) $(TEST_GUESTS) $(B)/tickvm-asan $(B)/tickvm-tsan $(B)/cases/bc24/expect.txt
	$(Q)tests/run

#: lab             the tests that run in a nested host, with KVM as Debian has it and patched
.PHONY: lab
lab: all $(TEST_GUESTS)
	$(Q)$(B)/tickvm lab build --stock
	$(Q)$(B)/tickvm lab build --patched
	$(Q)tests/run lab

#: lab-debug       the same series under lockdep and KASAN; builds a kernel, some minutes
.PHONY: lab-debug
lab-debug: all
	$(Q)$(B)/tickvm lab build --patched --debug
	$(Q)tests/run lab_debug

#: check           static analysis and format
.PHONY: check
check: $(B)/.deps
	$(Q)scripts/check-source

# ---- installing, cleaning ----------------------------------------------------

#: install         binary, ISO, man page and bash completion; DESTDIR= PREFIX=
.PHONY: install
install: $(B)/tickvm $(B)/tickvm.iso
	install -Dm755 $(B)/tickvm $(DESTDIR)$(PREFIX)/bin/tickvm
	install -Dm644 $(B)/tickvm.iso $(DESTDIR)$(PREFIX)/share/tickvm/tickvm.iso
	install -Dm644 vmm/tickvm.1 $(DESTDIR)$(PREFIX)/share/man/man1/tickvm.1
	install -Dm644 vmm/tickvm.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/tickvm

#: clean           all that was built but newlib
.PHONY: clean
clean:
	$(Q)find $(B) -mindepth 1 -maxdepth 1 ! -name newlib ! -name .deps -exec rm -rf {} + 2>/dev/null || true

#: distclean       newlib too
.PHONY: distclean
distclean:
	$(Q)rm -rf $(B)

-include $(shell find $(B) -name '*.d' 2>/dev/null)
