/*
 * From the boot loader to C: multiboot2 (specification 2.0, § 3.1 and § 3.3) and
 * PVH (xen: docs/misc/pvh.pandoc) both enter in flat 32-bit protected mode with
 * paging off. Long mode is entered as SDM vol. 3 § 10.8.5 has it, on tables that
 * are static data: a host that interprets us pays for every instruction.
 */
#include "layout.h"

#define MULTIBOOT2_HEADER_MAGIC 0xe85250d6
#define MULTIBOOT2_TAG_REQUEST  1
#define MULTIBOOT2_MEMORY_MAP   6
#define XEN_ELFNOTE_PHYS32_ENTRY 18

#define CR0_PE_MP_ET_NE_PG   0x80000033
#define CR4_PAE_FXSR_XMMEXCPT 0x620
#define MSR_EFER 0xc0000080
#define EFER_LME 0x100

	.section .multiboot2, "a"
	.balign 8
header:
	.long MULTIBOOT2_HEADER_MAGIC, 0, header_end - header
	.long -(MULTIBOOT2_HEADER_MAGIC + (header_end - header))
	.balign 8
	.short MULTIBOOT2_TAG_REQUEST, 0
	.long 12, MULTIBOOT2_MEMORY_MAP
	.balign 8
	.short 0, 0
	.long 8
header_end:

	.section .note.pvh, "a", @note
	.balign 4
	.long 4, 8, XEN_ELFNOTE_PHYS32_ENTRY
	.asciz "Xen"
	.quad pvh_entry

	.macro enter_long_mode target
	movl $page_table_4, %eax
	movl %eax, %cr3
	movl $CR4_PAE_FXSR_XMMEXCPT, %eax
	movl %eax, %cr4
	movl $MSR_EFER, %ecx
	rdmsr
	orl $EFER_LME, %eax
	wrmsr
	/* A constant: an application processor comes out of INIT with its caches off. */
	movl $CR0_PE_MP_ET_NE_PG, %eax
	movl %eax, %cr0
	ljmp $SELECTOR_CODE64, $\target
	.endm

	.macro load_data_segments
	movl $SELECTOR_DATA, %eax
	movl %eax, %ds
	movl %eax, %es
	movl %eax, %ss
	xorl %eax, %eax
	movl %eax, %fs
	movl %eax, %gs
	.endm

	.section .boot, "ax"
	.code32
	.globl multiboot2_entry
multiboot2_entry:
	movl %eax, %edi
	jmp 1f
pvh_entry:
	movl $PVH_MAGIC, %edi
1:	cli
	cld
	movl %ebx, %esi
	lgdt gdt_pointer
	enter_long_mode boot64

	.globl ap32
ap32:
	enter_long_mode ap64

	/*
	 * A processor after SIPI: real mode, CS:IP = page:0. Copied below 1 MiB by
	 * smp.c; all addresses but those of the image are relative to the page.
	 */
	.section .rodata.trampoline, "a"
	.globl trampoline, trampoline_end
	.code16
trampoline:
	cli
	cld
	lgdtl %cs:(gdt_pointer_16 - trampoline)
	movl %cr0, %eax
	orb $1, %al
	movl %eax, %cr0
	ljmpl $SELECTOR_CODE32, $ap32
gdt_pointer_16:
	.short gdt_end - gdt - 1
	.long gdt
trampoline_end:

	.text
	.code64
boot64:
	load_data_segments
	movl $(boot_area + CPU_STACK_SIZE), %esp
	xorl %ebp, %ebp
	call kernel_start
	ud2

	/* Processors start at the same time: each draws a number, which is its area's. */
ap64:
	load_data_segments
	movl $1, %eax
	lock xaddl %eax, ap_ticket
	movq ap_areas(,%rax,8), %rdi
	leaq CPU_STACK_SIZE(%rdi), %rsp
	xorl %ebp, %ebp
	call ap_start
	ud2

	.section .rodata, "a"
	.balign 8
gdt_pointer:
	.short gdt_end - gdt - 1
	.quad gdt

	.data
	.balign 16
	.globl gdt
gdt:
	.quad 0
	.quad 0x00cf9b000000ffff	/* 32-bit code, flat */
	.quad 0x00af9b000000ffff	/* 64-bit code */
	.quad 0x00cf93000000ffff	/* data, flat */
	.quad 0x00cff3000000ffff	/* ring 3: data, flat */
	.quad 0x00affb000000ffff	/* ring 3: 64-bit code */
	.fill 2 * CPUS_MAX, 8, 0	/* a TSS each, cpu.c */
gdt_end:

	/*
	 * The first 4 GiB, one to one, by 2 MiB pages; MTRRs say what is device memory.
	 * Ring 3 may reach all of it: it is there to be measured, not to protect (user.h).
	 */
#define PRESENT_WRITABLE_USER 7
#define LARGE_PAGE 0x80
	.section .data.page_tables, "aw"
	.balign 4096
page_table_4:
	.quad page_table_3 + PRESENT_WRITABLE_USER
	.balign 4096
page_table_3:
	.quad page_table_2 + 0x0000 + PRESENT_WRITABLE_USER
	.quad page_table_2 + 0x1000 + PRESENT_WRITABLE_USER
	.quad page_table_2 + 0x2000 + PRESENT_WRITABLE_USER
	.quad page_table_2 + 0x3000 + PRESENT_WRITABLE_USER
	.balign 4096
page_table_2:
	.set page, 0
	.rept 4 * 512
	.quad page + LARGE_PAGE + PRESENT_WRITABLE_USER
	.set page, page + 0x200000
	.endr

	.section .note.GNU-stack, "", @progbits
