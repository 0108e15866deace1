/* SPDX-License-Identifier: MIT
 *
 * The least a command can be: it exits 1 in three instructions, without a
 * libc. -DPORTABLE where the processor is another one.
 */
#if defined PORTABLE

int
main(void)
{
	return 1;
}

#elif defined __x86_64__

__asm__(".globl _start; "
        "_start: movl $60, %eax; movl $1, %edi; syscall");

#elif defined __aarch64__

__asm__(".globl _start; "
        "_start: mov x8, #93; mov x0, #1; svc #0");

#else
#error "no three instructions for this processor"
#endif
