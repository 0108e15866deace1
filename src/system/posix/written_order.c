/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "system/written_order.h"

/* Nothing tells in what order the pipes were written to: they take turns. */
static struct pollfd readers[ORDER_PIPES];
static int last;

bool
order_add(int which, int reader, int writer)
{
	(void)writer;
	for (int i = which; i < ORDER_PIPES; i++)
		readers[i].fd = -1;
	readers[which] = (struct pollfd) { .fd = reader, .events = POLLIN };
	return true;
}

int
order_next(void)
{
	if (poll(readers, ORDER_PIPES, 0) <= 0)
		return -1;
	do
		last = (last + 1) % ORDER_PIPES;
	while (readers[last].revents == 0);
	return last;
}

void
order_after_read(int which, int reader)
{
	(void)which;
	(void)reader;
}

void
order_end(int which)
{
	readers[which].fd = -1;
}

int
order_until_next(struct pollfd descriptors[ORDER_PIPES])
{
	int number = 0;

	for (int i = 0; i < ORDER_PIPES; i++)
		if (readers[i].fd >= 0)
			descriptors[number++] = readers[i];
	return number;
}
