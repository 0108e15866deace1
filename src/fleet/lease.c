/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "core/base/text.h"
#include "fleet/lease.h"
#include "system/clock.h"

#define RENEW_NS (5 * NS_PER_S)
#define RETRY_NS NS_PER_S

char owner[OWNER_SIZE];

void
lease_make_key(char key[LEASE_KEY_SIZE], const char *name, const char *what)
{
	struct text text = text_in(key, LEASE_KEY_SIZE);

	text_join(&text, "backoff:{", name, "}:", what);
}

void
lease_begin(struct lease *lease)
{
	int64_t now_ns = clock_now_ns();

	lease->until_ns = now_ns + LEASE_NS;
	lease->renew_ns = now_ns + RENEW_NS;
}

void
lease_try(struct lease *lease)
{
	lease->renew_ns = clock_now_ns() + RETRY_NS;
}

bool
lease_has_run_out(const struct lease *lease)
{
	return clock_now_ns() >= lease->until_ns;
}
