/*
 * The images of BC-24, made from a good ELF and a good ISO: malformed ones that
 * must be refused by the name of a field, and odd but legal ones that must boot.
 *
 * usage: bc24_images GOOD.elf GOOD.iso DIRECTORY
 *
 * Writes DIRECTORY/NAME for each, and DIRECTORY/expect.txt with a line each:
 * "NAME reject WORD" or "NAME boot [OPTION of tickvm run …]".
 */
#include <err.h>

#include "image.h"

int main(int argc, char **argv)
{
	if (argc != 4)
		errx(2, "usage: bc24_images GOOD.elf GOOD.iso DIRECTORY");
	good = read_file(argv[1]);
	open_list(argv[3]);
	write_changes();
	write_bad_shapes();
	write_odd();
	write_isos(argv[2]);
	close_list();
	return 0;
}
