/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "words.h"

bool
words_have(const char *words, const char *word, size_t length)
{
	while (*words != '\0') {
		size_t size = strcspn(words, " ");

		if (size == length && memcmp(words, word, length) == 0)
			return true;
		words += size;
		words += *words == ' ';
	}
	return false;
}
