#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""events.py LOG [EXPRESSION]...: is LOG one run's JSON log, to the letter?

The letter is: one object a line, the keys in their order and no others,
every *_s with exactly nine decimals, nulls only where they may be. Then
every EXPRESSION (Python) must hold. It finds the lines as `start`,
`attempts`, `news` (slot, defer, degraded) and `end`, their keys as attributes, every *_s as an int of
nanoseconds; `pauses` are those of the attempts that have one; `us`, `ms`
and `s` are nanoseconds too, so that `pauses == [1*ms, 3*ms]` reads well.
`at` are the times of the lines in seconds: of start, each attempt, and end;
`re` is the module.
"""

import json
import re
import sys
from datetime import datetime
from types import SimpleNamespace

TEXT = r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"'
COUNT = r"(?:0|[1-9][0-9]*)"
SECONDS = r"(?:0|[1-9][0-9]*)\.[0-9]{9}"
TIME = r'"[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{3}Z"'
COMMON = [("time", TIME), ("event", '"%s"'), ("id", TEXT), ("name", TEXT)]
KEYS = {  # of each event, behind those that all have
    "start": [("command", TEXT), ("attempts", f"(?:{COUNT}|null)")],
    "attempt": [
        ("attempt", COUNT),
        ("outcome", '"(?:exited|killed|timed-out|not-started)"'),
        ("status", f"(?:{COUNT}|null)"),
        ("signal", '(?:"[A-Z0-9+]+"|null)'),
        ("verdict", '"(?:success|pass|retry|throttle|stop)"'),
        ("reason", TEXT),
        ("line", f"(?:{TEXT}|null)"),
        ("duration_s", SECONDS),
        ("hint_s", f"(?:{SECONDS}|null)"),
        ("pause_s", f"(?:{SECONDS}|null)"),
    ],
    "slot": [("slots", TEXT), ("waited_s", SECONDS)],
    "defer": [("defer", TEXT), ("failures", COUNT), ("next_s", SECONDS)],
    "degraded": [("what", TEXT), ("reason", TEXT)],
    "end": [
        ("result", '"(?:success|pass|exhausted|stopped|deadline|interrupted|error|deferred)"'),
        ("attempts", COUNT),
        ("status", COUNT),
        ("reason", f"(?:{TEXT}|null)"),
        ("line", f"(?:{TEXT}|null)"),
        ("elapsed_s", SECONDS),
    ],
}
LINE = {
    event: re.compile("{" + ",".join(f'"{k}":{v}' for k, v in COMMON + keys).replace("%s", event) + "}")
    for event, keys in KEYS.items()
}
NEWS = ("slot", "defer", "degraded")  # of what runs share


def require(holds, complaint):
    if not holds:
        raise AssertionError(complaint)


def nanoseconds(text):
    """All the decimals there are: a float would lose some."""
    return int(text.replace(".", ""))


def read(line):
    event = json.loads(line, parse_float=nanoseconds)
    name = event.get("event")
    require(name in LINE, f"an unknown event: {line}")
    require(LINE[name].fullmatch(line), f"not to the letter: {line}")
    return SimpleNamespace(**event)


def check_attempt(attempt):
    status, signal = attempt.status, attempt.signal
    if attempt.outcome == "exited":
        well = status is not None and signal is None
    elif attempt.outcome == "killed":
        well = status is None and signal is not None
    elif attempt.outcome == "timed-out":
        # Neither is known of a process that could not be ended.
        well = (
            status is None or signal is None
            if "cannot end process" in attempt.reason
            else (status is None) != (signal is None)
        )
    else:
        well = status in (126, 127) and signal is None
    require(well, f"{attempt.outcome} with {status} and {signal}")
    require(
        not (signal or "").startswith("SIG"), "a signal's name with SIG"
    )


def read_log(path):
    with open(path, encoding="utf-8", errors="strict", newline="") as file:
        text = file.read()
    require(text.endswith("\n"), "the last line has no newline")
    events = [read(line) for line in text[:-1].split("\n")]
    ids = {event.id for event in events}
    # What is told of other runs may stand anywhere between start and end.
    news = [event for event in events[1:-1] if event.event in NEWS]
    events = [event for event in events if event not in news]
    names = [event.event for event in events]
    require(
        names == ["start"] + ["attempt"] * (len(names) - 2) + ["end"],
        f"events in a wrong order: {names}",
    )
    start, *attempts, end = events
    for number, attempt in enumerate(attempts, 1):
        require(attempt.attempt == number, "attempts are not counted 1, 2...")
        check_attempt(attempt)
    require(end.attempts == len(attempts), "end counts other attempts")
    require(
        (end.reason is None)
        == (
            end.result in ("success", "pass", "interrupted")
            or not (attempts or end.result == "deferred")
        ),
        f"{end.result} with the reason {end.reason}",
    )
    require(len(ids) == 1, "ids differ")
    for attempt in attempts[:-1]:
        require(attempt.pause_s is not None, "null before the last pause")
    return start, attempts, end, news


def seconds(time):
    """Since the epoch, of a line's time."""
    return datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()


def main(path, *expressions):
    try:
        start, attempts, end, news = read_log(path)
        known = {
            "start": start,
            "attempts": attempts,
            "end": end,
            "news": news,
            "pauses": [
                a.pause_s for a in attempts if a.pause_s is not None
            ],
            "at": [seconds(line.time) for line in (start, *attempts, end)],
            "re": re,
            "us": 10**3,
            "ms": 10**6,
            "s": 10**9,
        }
        for expression in expressions:
            # pylint: disable-next=eval-used
            require(eval(expression, known), f"does not hold: {expression}")
    except (AssertionError, ValueError, OSError) as problem:
        print(problem, file=sys.stderr)
        try:
            with open(path, "rb") as file:
                sys.stderr.buffer.write(file.read(4000))
        except OSError:
            pass
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
