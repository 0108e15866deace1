/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/known/headers.h"

static const struct http_client clients[] = {
	{ "curl", "DIKivw",
	    "--config --dump-header --head --include --verbose --write-out",
	    "curl prints no headers: add -D /dev/stderr",
	    "; curl -sS shows errors" },
	{ "wget", "Sd", "--debug --save-headers --server-response",
	    "wget prints no headers: add -S", "; wget -nv shows errors" },
};

const struct http_client *
http_client(const char *name)
{
	for (size_t i = 0; name != NULL && i < ARRAY_LENGTH(clients); i++)
		if (strcmp(clients[i].name, name) == 0)
			return &clients[i];
	return NULL;
}

const char *
headers_missing(const char *name, char *const *argv)
{
	const struct http_client *client = http_client(name);

	for (; client != NULL && *argv != NULL; argv++) {
		const char *word = *argv;

		if (words_have(client->options, word, strcspn(word, "="))
		    || (word[0] == '-' && word[1] != '-'
		        && word[strcspn(word, client->letters)] != '\0'))
			return NULL;
	}
	return client != NULL ? client->prints_none : NULL;
}
