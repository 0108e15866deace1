/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/base.h"
#include "core/known/known.h"
#include "options/options.h"
#include "streams/streams.h"

#define ALL 0
#define FIELD(field) offsetof(struct options, field)
#define RULES FIELD(settings.rules)
#define POLICY(field) FIELD(settings.policy.field)
#define LIMIT(field) FIELD(settings.limits.field)

const struct option_row option_table[OPTIONS] = {
#define GROUP(group, title) { .name = "", .help = title },
#define OPT(set, id, letter, name, argument, parser, target, help) \
	{ name, argument, help, value_##parser, target, letter, PROGRAM_##set },
#include "options/options.def"
};

/* The argument of each option that was given (the last one), or NULL. */
static const char *given[OPTIONS];

static struct text notes; /* all of them, for --verbose */

/* --- the words of the command line --- */

/* What getopt_long returns for a long option: above all letters of Unicode,
 * which musl returns. */
#define CODE(id) (0x110000 + (int)(id))

/*
 * For getopt_long: all letters of this program, and the long option that it
 * meets next.
 */
static char letters[3 * OPTIONS + 3];
static struct option long_option[2];

/* Options of other retry tools, under the names that they have there. */
static const struct {
	const char *names; /* separated by blanks */
	const char *ours;
} other_tools[] = {
	{ "retries retry tries times count max-attempts max-retries max-tries",
	    "use --attempts, which counts the first run too" },
	{ "forever",
	    "use --attempts=inf; --attempts counts the first run too" },
	{ "delay sleep wait interval",
	    "use --base for the first pause, or --delays for a list" },
	{ "retry-delay", "use --base for the first pause" },
	{ "min", "use --base for the first pause, --floor for the shortest" },
	{ "min-delay", "use --floor" },
	{ "max", "use --cap for the longest pause" },
	{ "max-delay", "use --cap" },
	{ "max-exponent", "use --cap, at which the pauses stop growing" },
	{ "steps", "use --factor: for S steps, it is (CAP / BASE)^(1 / S)" },
	{ "cap-mode slot-time",
	    "only presets can set that; see --preset=list" },
	{ "throttle-base", "it is 5 times --base" },
	{ "outage", "--plan prints the chances of outlasting 10s, 1m and 10m" },
	{ "id", "use an environment variable of your own" },
	{ "max-time",
	    "use --deadline for everything, --timeout for an attempt" },
	{ "max-elapsed retry-max-time", "use --deadline" },
	{ "task-time", "use --timeout" },
	{ "backoff", "use --growth and --factor" },
	{ "multiplier exponent", "use --factor" },
	{ "random randomize", "use --jitter" },
	{ "on-retry", "use --before-retry" },
	{ "fail", "use --at-end" },
	{ "log", "use --log-file" },
	{ "json format", "use --log-format=json" },
	{ "watch",
	    "both streams are watched; sh -c 'exec COMMAND 2>&3' 3>&2 leaves "
	    "stderr out" },
	{ "die-with-parent", "use: setpriv --pdeathsig TERM backoff ..." },
};

/* What to use instead of the option NAME[0..LENGTH), or NULL. */
static const char *
ours_for(const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_LENGTH(other_tools); i++)
		if (words_have(other_tools[i].names, name, length))
			return other_tools[i].ours;
	return NULL;
}

/* In getopt_long's terms: "[WHAT]" is optional. */
static int
has_argument(const struct option_row *row)
{
	if (row->argument[0] == '\0')
		return no_argument;
	return row->argument[0] == '[' ? optional_argument : required_argument;
}

/* The long name NAME[0..LENGTH) is no option's: says which one it may be. */
_Noreturn static void
refuse_long_name(const char *argument, const char *name, size_t length)
{
	struct nearest nearest = nearest_to(name, length);
	const char *ours = ours_for(name, length);
	int full_names = 0;
	struct text why = TEXT_OF(160);

	for (int id = 0; id < OPTIONS; id++) {
		const char *full = option_table[id].name;

		if (!option_is_ours((enum option_id)id))
			continue;
		nearest_offer(&nearest, full);
		if (length > 0 && strncmp(full, name, length) == 0)
			text_join(&why,
			    full_names++ > 0 ? ", --"
			                     : "expected the full name, --",
			    full);
	}
	if (ours != NULL)
		usage_refuse("no such option", argument, ours);
	if (full_names > 0)
		usage_refuse("abbreviated option", argument, why.data);
	for (size_t i = 0; i < ARRAY_LENGTH(other_tools); i++)
		nearest_offer(&nearest, other_tools[i].names);
	if (nearest.found == NULL)
		text_add(&why, program.list_hint);
	else if ((ours = ours_for(nearest.found, nearest.found_length)) != NULL)
		text_add(&why, ours);
	else /* It is an option of this program. */
		text_join(&why, "did you mean --", nearest.found, "?");
	usage_refuse("no such option", argument, why.data);
}

/*
 * Takes a long name, which has to be spelt out, before getopt_long sees it:
 * that would accept an abbreviation, and an option added later could then break
 * the script that used it.
 */
static void
take_long_name(const char *argument)
{
	const char *name = argument + 2;
	size_t length = length_before(name, '=');
	enum option_id id = option_named(name, length);

	/* A field of presets has a name, too. */
	if (id == OPTIONS || !option_is_ours(id))
		refuse_long_name(argument, name, length);
	long_option[0] = (struct option) {
		.name = option_table[id].name,
		.has_arg = has_argument(&option_table[id]),
		.val = CODE(id),
	};
}

static void
take_letters(void)
{
	char *letter = letters;

	*letter++ = '+'; /* stop at COMMAND */
	*letter++ = ':';
	for (int id = 0; id < OPTIONS; id++) {
		const struct option_row *row = &option_table[id];

		if (!option_is_ours((enum option_id)id) || row->letter == 0)
			continue;
		*letter++ = row->letter;
		for (int colons = has_argument(row); colons > 0; colons--)
			*letter++ = ':';
	}
}

/* The option for a letter or a code that getopt_long has returned. */
static enum option_id
identify(int code)
{
	if (code >= CODE(0))
		return (enum option_id)(code - CODE(0));
	for (int id = 0; id < OPTIONS; id++)
		if (option_table[id].letter == code)
			return (enum option_id)id;
	return OPTIONS;
}

/* After getopt_long has refused: ':' is a missing argument, '?' the rest. */
_Noreturn static void
refuse_syntax(int code, char **argv)
{
	char letter[] = { '-', (char)optopt, '\0' };

	if (code == ':' || optopt >= CODE(0))
		option_refuse(identify(optopt), argv[optind - 1],
		    code == ':' ? "expected an argument"
		                : "expected no argument");
	usage_refuse("no such option", letter, program.list_hint);
}

/* --- one option --- */

/* Applies one option; exits with 125 if its TEXT is not acceptable. */
static void
set_option(struct options *options, enum option_id id, const char *text)
{
	const struct option_row *row = &option_table[id];

	refusal = (struct refusal) { .item = "" };
	if (!row->parse(text, (char *)options + row->field))
		option_refuse(id, *refusal.item != '\0' ? refusal.item : text,
		    refusal.why);
}

/* Notes " --NAME=TEXT", as a shell would read it; TEXT may be NULL. */
static void
note(enum option_id id, const char *text)
{
	text_join(&notes,
	    option_table[id].programs == PROGRAM_PRESET ? " " : " --",
	    option_table[id].name);
	if (text == NULL)
		return;
	text_byte(&notes, '=');
	text_quoted(&notes, text);
}

/* --- defaults and contradictions --- */

/* If it holds, option A contradicts B: BEFORE, "--B" and AFTER say why. */
struct contradiction {
	enum option_id a, b;
	const char *before, *after;
	bool holds;
};

static void
derive_policy(struct policy *policy)
{
	bool list = policy->delays_ns != NULL;

	/*
	 * Throttles and hints, which ignore the list, start from its first
	 * item.
	 */
	if (list)
		policy->base_ns = policy->delays_ns[0];
	if (given[OPT_CAP] == NULL)
		policy->cap_ns = list ? DURATION_INF
		                      : max_ns(30 * NS_PER_S, policy->base_ns);
	/* Not above a cap that is below the base: no pause would be random. */
	if (given[OPT_FLOOR] == NULL)
		policy->floor_ns
		    = list ? 0 : min_ns(policy->base_ns, policy->cap_ns) / 10;
	if (given[OPT_JITTER] == NULL && list)
		policy->jitter.kind = JITTER_NONE;
	/* A list has no base to be a slot. */
	if (policy->slot_ns == SLOT_IS_BASE)
		policy->slot_ns = list ? 0 : policy->base_ns;
	if (given[OPT_THROTTLE_BASE] == NULL)
		policy->throttle_base_ns
		    = saturating_multiply(policy->base_ns, 5);
}

static void
derive_streams(struct options *options)
{
	const char *actions = getenv("GITHUB_ACTIONS");

	if (given[OPT_STDIN] == NULL && options->settings.limits.attempts == 1)
		options->streams.stdin_mode = STDIN_INHERIT;
	if (options->job.quiet_repeats)
		options->job.quiet_success = true;
	if (options->job.quiet_success)
		options->streams.hold = HOLD_ALL;
	options->log.held = options->job.quiet_success;
	/* In a step of GitHub Actions, people should see how it ended. */
	if (program.set == PROGRAM_BACKOFF && given[OPT_LOG_FORMAT] == NULL
	    && options->log.file == NULL && actions != NULL
	    && strcmp(actions, "true") == 0)
		options->log.format = LOG_GITHUB;
}

static void
derive_defaults(struct options *options)
{
	const struct policy *policy = &options->settings.policy;
	struct limits *limits = &options->settings.limits;

	derive_policy(&options->settings.policy);
	limits->attempts_given = given[OPT_ATTEMPTS] != NULL;
	if (!limits->attempts_given) {
		limits->attempts = program.attempts;
		/* A single delay repeats: -d 5s is every 5 s, not twice. */
		if (policy->delays_ns != NULL && policy->delays > 1)
			limits->attempts = (int64_t)policy->delays + 1;
		if (limits->deadline_ns < DURATION_INF
		    || limits->until_ns < INT64_MAX)
			limits->attempts = INT64_MAX;
	}
	derive_streams(options);
}

/* The first that holds, if any does; derive_defaults() comes before. */
static struct contradiction
find_contradiction(const struct options *options)
{
	const struct policy *policy = &options->settings.policy;
	const struct limits *limits = &options->settings.limits;
	static const char with[] = "cannot be combined with ";
	static const char no_more[] = "expected no more than ";
	static const char needs[] = "needs ";
	enum jitter_kind jitter = policy->jitter.kind;
	const struct contradiction all[] = {
		{ OPT_DELAYS, OPT_BASE, with, "", given[OPT_BASE] != NULL },
		{ OPT_DELAYS, OPT_FACTOR, with, "", given[OPT_FACTOR] != NULL },
		{ OPT_DELAYS, OPT_GROWTH, with, "", given[OPT_GROWTH] != NULL },
		{ OPT_DELAYS, OPT_JITTER, with, "=decorrelated",
		    jitter == JITTER_DECORRELATED },
		{ OPT_DELAYS, OPT_JITTER, with, "=smooth",
		    jitter == JITTER_SMOOTH },
		{ OPT_FLOOR, OPT_CAP, no_more, "",
		    policy->floor_ns > policy->cap_ns },
		{ OPT_SLOT_TIME, OPT_CAP, no_more, "",
		    policy->slot_ns > policy->cap_ns },
		{ OPT_CONSECUTIVE, OPT_ATTEMPTS, no_more, "",
		    limits->consecutive > limits->attempts },
		{ OPT_GATE_WAIT, OPT_GATE, needs, "=NAME",
		    given[OPT_GATE] == NULL },
		{ OPT_QUIET_REPEATS, OPT_DEFER, needs, "=NAME",
		    given[OPT_DEFER] == NULL },
		{ OPT_SLOTS_WAIT, OPT_SLOTS, needs, "=NAME:N",
		    given[OPT_SLOTS] == NULL },
		{ OPT_MACHINES, OPT_HERD_GATE, needs, "",
		    given[OPT_HERD_GATE] == NULL },
		{ OPT_HERD_GATE, OPT_MACHINES, needs, "",
		    options->herd.gate == HERD_GATE_FLEET
		        && given[OPT_MACHINES] == NULL },
		{ OPT_MACHINES, OPT_CLIENTS, no_more, "",
		    given[OPT_CLIENTS] != NULL
		        && options->herd.machines > options->herd.clients },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(all); i++)
		if (given[all[i].a] != NULL && all[i].holds)
			return all[i];
	return (struct contradiction) { .holds = false };
}

static void
check_contradictions(const struct options *options)
{
	struct contradiction found = find_contradiction(options);

	if (found.holds)
		option_refuse(found.a,
		    *given[found.a] != '\0' ? given[found.a] : NULL,
		    JOINED(64, found.before, "--", option_table[found.b].name,
		        found.after));
}

/* --- presets --- */

/*
 * Adds an option of a preset, unless the user has given it or one that
 * contradicts it; defaults count too.
 */
static void
add_option(struct options *options, enum option_id id, const char *text)
{
	struct options with = *options;
	struct contradiction found;

	if (given[id] != NULL)
		return;
	set_option(&with, id, text);
	given[id] = text;
	derive_defaults(&with);
	found = find_contradiction(&with);
	if (!found.holds || (found.a != id && found.b != id)) {
		*options = with;
		note(id, text);
		return;
	}
	given[id] = NULL;
}

/*
 * Applies the options and fields of the preset, such as "--base=1s" and
 * "cap-mode=after"; those of the command line have priority.
 */
static void
apply_preset(struct options *options)
{
	static char room[320]; /* GIVEN points into it afterwards */
	struct text words = text_in(room, sizeof room);
	const struct preset *preset = preset_named(options->preset);
	bool has_base = given[OPT_BASE] != NULL;

	text_join(&notes, "; preset ", options->preset, ":");
	text_join(&words, known_text(preset->options), " ",
	    known_text(preset->fields));
	for (const char *word = strtok(room, " "); word != NULL;
	     word = strtok(NULL, " ")) {
		const char *name = word + strspn(word, "-");
		size_t length = length_before(name, '=');
		enum option_id id = option_named(name, length);

		/*
		 * With another base, the preset's base for throttles does not
		 * apply.
		 */
		if (id < OPTIONS && (id != OPT_THROTTLE_BASE || !has_base))
			add_option(options, id, name + length + 1);
	}
	/* The user has overridden all that it sets. */
	if (notes.data[notes.length - 1] == ':')
		notes.data[--notes.length] = '\0';
}

/* --- all --- */

/*
 * Applies the table of the tool that --tool names, or else of the one that
 * COMMAND runs in the end, if that is known. Without --tool, that table only
 * tells what the codes mean.
 */
static void
use_tool(struct options *options)
{
	struct job *job = &options->job;

	if (job->wrapped.name != NULL)
		job->known = tool_named(job->wrapped.name);
	if (given[OPT_TOOL] != NULL && job->tool == NULL)
		job->tool = job->known;
	if (job->tool == NULL)
		return;
	if (job->tool->messages < job->tool->end)
		scan_add_tool(options_scan(options), job->tool);
	if (job->tool->headers != 0
	    && options_scan(options)->waits.wanted == WANTED_NOTHING)
		options_scan(options)->waits.wanted = WANTED_HEADERS;
}

/*
 * Refuses "--tool curl -- curl ...", which would run "curl --": an optional
 * argument must be joined to its option. VALUE and NEXT follow option ALONE.
 */
static void
check_operand(enum option_id alone, const char *value, const char *next)
{
	enum hold_what what;

	if (next == NULL
	    || (strcmp(next, "--") != 0 && strcmp(next, value) != 0))
		return;
	/* For --retry-after any word is a REGEX, so nothing gives it away. */
	if ((alone == OPT_TOOL
	        && (strcmp(value, "list") == 0 || tool_named(value) != NULL))
	    || (alone == OPT_HOLD && value_hold(value, &what)))
		option_refuse(alone, value,
		    JOINED(64, "expected --", option_table[alone].name, "=",
		        value));
}

static void
parse_arguments(struct options *options, int argc, char **argv)
{
	enum option_id id;
	char **rest;
	int code;

	take_letters();
	opterr = 0;
	for (;;) {
		if (optind < argc && strncmp(argv[optind], "--", 2) == 0
		    && argv[optind][2] != '\0')
			take_long_name(argv[optind]);
		code = getopt_long(argc, argv, letters, long_option, NULL);
		/* Linux before 5.18 starts a program without even its name. */
		rest = argv + (optind < argc ? optind : argc);
		if (code == -1)
			break;
		if (code == '?' || code == ':')
			refuse_syntax(code, argv);
		id = identify(code);
		given[id] = optarg != NULL ? optarg : "";
		set_option(options, id, optarg);
		note(id, optarg);
		if (optarg == NULL && rest[0] != NULL)
			check_operand(id, rest[0], rest[1]);
	}
	options->job.argv = rest;
}

static const struct options initial = {
	.settings = {
		.policy = {
			.base_ns = NS_PER_S,
			.factor = 3,
			.jitter = { .kind = JITTER_FULL },
			.max_exponent = INT64_MAX,
		},
		.limits = {
			.timeout_ns = DURATION_INF,
			.idle_timeout_ns = DURATION_INF,
			.kill_after_ns = 10 * NS_PER_S,
			.deadline_ns = DURATION_INF,
			.until_ns = INT64_MAX,
			.reset_after_ns = DURATION_INF,
			.consecutive = 1,
			.hint_max_ns = 60 * NS_PER_MIN,
			.spool_limit = INT64_C(1) << 30,
		},
	},
	.job = {
		.signal = SIGTERM,
		.grace_ns = DURATION_INF,
	},
	.shared.gate.wait_ns = 60 * NS_PER_MIN,
	.shared.slots.wait_ns = DURATION_INF,
	.seed = -1,
	.herd = {
		.service.down_ns = -1,
		.runs = 1,
		.machines = 1,
	},
};

/* Notes what pauses and attempts are by default, and whose table applies. */
static void
note_defaults(const struct options *options)
{
	const struct policy *policy = &options->settings.policy;
	const struct tool *tool = options->job.tool;
	int64_t attempts = options->settings.limits.attempts;
	bool list = policy->delays_ns != NULL;
	bool multiplies = policy->growth <= GROWTH_BINARY && !list
	    && policy->jitter.kind != JITTER_DECORRELATED
	    && policy->jitter.kind != JITTER_SMOOTH;
	int told = 0;
	const struct {
		enum option_id id;
		const char *text; /* NULL: it does not matter */
	} all[] = {
		{ OPT_BASE, list ? NULL : DURATION(policy->base_ns) },
		{ OPT_FACTOR, multiplies ? "3" : NULL },
		{ OPT_CAP, DURATION(policy->cap_ns) },
		{ OPT_FLOOR, DURATION(policy->floor_ns) },
		{ OPT_JITTER, list ? "none" : "full" },
		{ OPT_ATTEMPTS,
		    attempts == INT64_MAX ? "inf" : NUMBER(attempts) },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(all); i++)
		if (given[all[i].id] == NULL && all[i].text != NULL) {
			text_add(&notes, told++ ? "" : "; default:");
			note(all[i].id, all[i].text);
		}
	if (given[OPT_TOOL] != NULL)
		text_join(&notes, "; tool: ",
		    tool != NULL ? known_text(tool->name) : "unknown");
}

/*
 * What to call COMMAND: the program that runs in the end, such as curl behind
 * env. A word with blanks is a mistake, of which only a part may be shown.
 */
static void
name_command(struct log_options *log, const struct job *job)
{
	static char part[72];
	struct text text = text_in(part, sizeof part);
	const char *name = job->wrapped.name;

	log->word = log->command = job->argv[0];
	if (command_line_name(&text, log->word))
		log->command = name = part;
	else if (name == NULL)
		name = base_name(log->word);
	if (given[OPT_NAME] == NULL)
		log->name = name;
}

void
options_parse(struct options *options, int argc, char **argv)
{
	static char room[2048];

	*options = initial;
	memset(given, 0, sizeof given);
	notes = text_in(room, sizeof room);
	options->log.in_force = room;
	text_add(&notes, "options:");
	parse_arguments(options, argc, argv);
	if (options->preset != NULL)
		apply_preset(options);
	derive_defaults(options);
	check_contradictions(options);
	/* To notice silence, or to quote held output; maybe with no REGEX. */
	if (options->settings.limits.idle_timeout_ns < DURATION_INF
	    || options->streams.hold == HOLD_ALL)
		options_scan(options);
	options->job.wrapped = wrapped_command(options->job.argv);
	use_tool(options);
	options->log.settings = &options->settings;
	if (options->log.verbose)
		note_defaults(options);
	/* With a REGEX, the user knows what is printed. */
	if (given[OPT_RETRY_AFTER] != NULL && given[OPT_RETRY_AFTER][0] == '\0')
		options->log.headers
		    = headers_missing(options->job.known, options->job.argv);
	if (options->job.argv[0] != NULL)
		name_command(&options->log, &options->job);
}
