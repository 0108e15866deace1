/* SPDX-License-Identifier: MIT
 *
 * The least a command can be: it exits with STATUS (1) in three instructions,
 * without a libc. -DPORTABLE where the processor is another one.
 */
#ifndef STATUS
#define STATUS 1
#endif
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

#if defined PORTABLE

int
main(void)
{
	return STATUS;
}

#elif defined __x86_64__

__asm__(".globl _start; "
        "_start: movl $60, %eax; movl $" TEXT(STATUS) ", %edi; syscall");

#elif defined __aarch64__

__asm__(".globl _start; "
        "_start: mov x8, #93; mov x0, #" TEXT(STATUS) "; svc #0");

#else
#error "no three instructions for this processor"
#endif
