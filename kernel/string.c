/*
 * memcpy and memset by string instructions. newlib's own use MOVNTI, an SSE2
 * instruction, and an unrolled loop, which an interpreting host pays for by the
 * instruction; REP is one.
 */
#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t length)
{
	void *at = to;
	size_t words = length / 8;

	length %= 8;
	__asm__ volatile("rep movsq" : "+D"(at), "+S"(from), "+c"(words) : : "memory");
	__asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(length) : : "memory");
	return to;
}

void *memset(void *to, int byte, size_t length)
{
	void *at = to;
	size_t words = length / 8;

	length %= 8;
	__asm__ volatile("rep stosq"
			 : "+D"(at), "+c"(words)
			 : "a"((unsigned char)byte * 0x0101010101010101ull)
			 : "memory");
	__asm__ volatile("rep stosb" : "+D"(at), "+c"(length) : "a"(byte) : "memory");
	return to;
}
