/* SPDX-License-Identifier: MIT
 *
 * flaky PERCENT MILLISECONDS SEED JOB: a request to a service that fails at
 * random: it takes so long, and exits 1 in so many of a hundred. Attempt
 * BACKOFF_ATTEMPT of a JOB always ends alike, so that those which are compared
 * have the same luck.
 */
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

int
main(int argc, char **argv)
{
	const char *attempt = getenv("BACKOFF_ATTEMPT");
	long numbers[5] = { 0, 0, 0, 0, attempt ? atol(attempt) : 0 };
	uint64_t hash = 0;
	struct timespec time;

	if (argc != 5)
		return 2;
	for (int i = 0; i < 4; i++)
		numbers[i] = atol(argv[i + 1]);
	for (int i = 2; i < 5; i++) {
		hash = (hash ^ (uint64_t)numbers[i]) + 0x9e3779b97f4a7c15;
		hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9;
		hash = (hash ^ hash >> 27) * 0x94d049bb133111eb;
		hash ^= hash >> 31;
	}
	time.tv_sec = numbers[1] / 1000;
	time.tv_nsec = numbers[1] % 1000 * 1000000;
	while (nanosleep(&time, &time) != 0)
		continue;
	return hash % 100 < (uint64_t)numbers[0];
}
