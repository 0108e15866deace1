/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "screen.h"

#define USUAL_WIDTH 80

static int
width_of_stdout(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return USUAL_WIDTH;
	return size.ws_col;
}

struct screen
screen_of_stdout(void)
{
	/* Of what is written, that is all that depends on the locale. */
	setlocale(LC_CTYPE, "");
	return (struct screen) {
		.width = width_of_stdout(),
		.unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
	};
}
