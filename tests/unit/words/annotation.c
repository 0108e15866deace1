/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/words/annotation.h"
#include "unit/fresh.h"
#include "unit/tap.h"

static void
annotates(enum annotation kind, const char *name, const char *message,
    const char *wanted, const char *what)
{
	annotation_text(fresh(), kind, name, message);
	is_string(buffer, wanted, what);
}

TESTS
{
	char line[] = "backoff: x: ##[error]a ###[b] ##[";

	annotates(ANNOTATION_WARNING, "curl", "succeeded at attempt 3/8",
	    "::warning title=backoff%3A curl::succeeded at attempt 3/8",
	    "a warning");
	annotates(ANNOTATION_ERROR, "curl", "giving up: \"100 %\"",
	    "::error title=backoff%3A curl::giving up: \"100 %25\"",
	    "an error, in which a message has its %");
	annotates(ANNOTATION_ERROR, "a,file=x:1::b%0A", "x",
	    "::error title=backoff%3A a%2Cfile=x%3A1%3A%3Ab%250A::x",
	    "a name is no further property, and no message");
	annotates(ANNOTATION_ERROR, "x", "a\r\n::error::b%0A::error::c",
	    "::error title=backoff%3A x::a%0D%0A::error::b%250A::error::c",
	    "no second command on a line of its own");
	annotates(ANNOTATION_ERROR, "##[add-mask]", "##[error]y",
	    "::error title=backoff%3A #?[add-mask]::#?[error]y",
	    "no command of the older kind");
	annotation_defuse(line);
	is_string(line, "backoff: x: #?[error]a ##?[b] #?[",
	    "nor in a line of the log");
}
