# SPDX-License-Identifier: MIT
"""The scenarios of tests/faults, and how one of them is run under strace."""

import dataclasses
import fcntl
import json
import os
import shlex
import socket
import subprocess
import tempfile
import time
from typing import Callable, Optional

from processes import bearers, command_line, kill_bearers, readable

BACKOFF = os.path.abspath(os.environ.get("BACKOFF") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "backoff"))
# The answers that the program was built without.
NOT_HERE = os.environ.get("NOT_HERE", "").split()
COOKIE = "BACKOFF_TESTS_FAULT"
F_SETPIPE_SZ = 1031  # Python has its name since 3.10
PATIENCE = 120  # seconds, after which a run hangs
LEAVING = 20  # seconds, for a process that has been told to end
LINES = b"".join(b"line %d\n" % n for n in range(40))
BIG = b"".join(b"%d\n" % n for n in range(20000))  # about 100 KB
HUGE = BIG * 3


# --- scenarios --------------------------------------------------------------

@dataclasses.dataclass
class Run:
    """One run, and what it has left."""
    status: int = 0
    hung: bool = False
    out: bytes = b""
    err: bytes = b""
    rest: bytes = b""  # what the next reader of stdin finds
    files: dict = dataclasses.field(default_factory=dict)
    left: list = dataclasses.field(default_factory=list)
    trace: str = ""

    def file(self, name):
        return self.files.get(name, b"")

    def attempts(self):
        return [int(n) for n in self.file("attempts").split()]


@dataclasses.dataclass
class Scenario:
    name: str
    options: str
    command: str
    is_whole: Callable[[Run], bool]  # all that had to come out has
    status: int = 0
    kind: str = "null"  # of stdin
    data: bytes = b""
    before: str = "true"  # what sh does first, without any fault
    # Likewise where more attempts or hooks than normally had to be made.
    success_is_whole: Optional[Callable[[Run], bool]] = None
    answers: tuple = ()  # that it needs
    never: tuple = ()  # faults that cannot come about in it

    def __post_init__(self):
        self.success_is_whole = self.success_is_whole or self.is_whole

    def missing(self):
        return [answer for answer in self.answers if answer in NOT_HERE]


# What every COMMAND does first; it says "succeeded" as it succeeds.
BEGIN = 'echo "$BACKOFF_ATTEMPT" >>attempts; '
AGAIN = '[ "$BACKOFF_ATTEMPT" -ge 2 ] || exit 7; '
DONE = '; : >succeeded'


def prints(expected):
    return lambda run: run.out == expected


def one_line_taken(run):
    first, rest = LINES.split(b"\n", 1)
    return run.out == first + b"\n" and run.rest == rest


def one_line_gone(run):
    """Without a look into a pipe more of it is taken than COMMAND has read."""
    first, rest = LINES.split(b"\n", 1)
    return one_line_taken(run) if "peek" not in NOT_HERE else \
        run.out == first + b"\n" and rest.endswith(run.rest)


def hooks_ran(run):
    return one_line_gone(run) and run.file("hooks") == b"before\nend success\n"


def held_came_out(run):
    return run.out == BIG and run.err.count(b"note\n") == 1


def failure_came_out(run):
    return run.out == b"" and BIG in run.err


def watched_came_out(run):
    refused = b"no\n" * run.attempts().count(1)
    return run.out == refused + BIG + b"done\n" and b"note\n" in run.err


def log_is_json(run):
    """Each line whole; whether all are there is looked at elsewhere."""
    lines = run.file("log").split(b"\n")
    try:
        return run.out == BIG and lines.pop() == b"" and all(
            json.loads(line)["event"] in ("start", "attempt", "degraded", "end")
            for line in lines)
    except ValueError:
        return False


TAKE_LINE = 'read -r line || exit 8; ' + AGAIN + 'echo "$line"' + DONE
TREE = """trap '' TERM
sleep 3600 &
setsid sleep 3600 &
setsid sh -c 'trap "" TERM; sleep 3600 & wait; wait' &
wait; wait; wait"""

# Of what runs share, in a directory of its own. Another run holds it for a
# moment, or is the reason to wait.
SHARE = "-b 1ms -n 4 --state-dir=state "
ALONE = "mkdir -m 700 state; "
SHUT = ALONE + """"$BACKOFF" -n 1 --state-dir=state --gate=hub sh -c '
  echo after=100ms >"$BACKOFF_HINT"; exit 7'; """
HOLD = """sh -c ': >holding; exec sleep 0.3' &
  until [ -e holding ]; do sleep 0.02; done"""
SUCCEED = "cat big" + DONE

SCENARIOS = [
    Scenario("plain", "", "cat" + DONE, prints(LINES), kind="file", data=LINES),
    Scenario("second-try", "-b 1ms -n 4",
             'saw=$(cat); ' + AGAIN + 'echo "$saw"' + DONE,
             prints(LINES), kind="file", data=LINES),
    Scenario("replay", "-b 1ms -n 4",
             '[ "$BACKOFF_ATTEMPT" -ge 2 ] || { head -c 200000 >first; exit 7; }; cat' + DONE,
             prints(HUGE), kind="pipe", data=HUGE),
    Scenario("lines-pipe", "-b 1ms -n 4", TAKE_LINE, one_line_gone,
             kind="pipe", data=LINES),
    Scenario("lines-socket", "-b 1ms -n 4", TAKE_LINE, one_line_taken,
             kind="socket", data=LINES),
    Scenario("hooks", "-b 1ms -n 4 --before-retry='cat >>hooks; echo before >>hooks'"
             " --at-end='cat >>hooks; echo end $BACKOFF_RESULT >>hooks'",
             TAKE_LINE, hooks_ran, kind="pipe", data=LINES, success_is_whole=one_line_gone),
    Scenario("hold", "-b 1ms -n 4 --hold=all",
             'cat big; ' + AGAIN + 'echo note >&2' + DONE, held_came_out),
    Scenario("failing-hold", "-b 1ms -n 2 --hold", "cat big; exit 7",
             failure_came_out, status=7),
    Scenario("watch", "-b 1ms -n 4 --stop-if=never --success-if=done",
             '[ "$BACKOFF_ATTEMPT" -ge 2 ] || { echo no; exit 7; }; '
             'cat big; echo done; echo note >&2' + DONE, watched_came_out),
    Scenario("json-log", "-b 1ms -n 4 --log-format=json --log-file=log",
             'echo after=1ms >"$BACKOFF_HINT"; ' + AGAIN + 'cat big' + DONE, log_is_json),
    Scenario("timeout", "-b 1ms -n 2 -t 100ms -k 100ms", TREE,
             lambda run: True, status=124, answers=("processes",)),
    Scenario("timeout-alone", "-b 1ms -n 2 -t 100ms -k 100ms", "trap '' TERM; exec sleep 3600",
             lambda run: True, status=124,
             never=("kill ESRCH",)),  # COMMAND is there until it is reaped
    Scenario("shared", SHARE + "--defer=hub --gate=hub --slots=hub:2", AGAIN + SUCCEED,
             prints(BIG), before=ALONE, answers=("byte_lock",)),
    Scenario("defer", SHARE + "--defer=hub -n 1", "cat big; exit 7", prints(BIG), status=7,
             before=ALONE, answers=("byte_lock",)),
    Scenario("slot-wait", SHARE + "--slots=hub:1", SUCCEED, prints(BIG),
             before=ALONE + '"$BACKOFF" --state-dir=state --slots=hub:1 ' + HOLD,
             answers=("byte_lock",)),
    Scenario("gate-probe", SHARE + "--gate=hub", SUCCEED, prints(BIG), before=SHUT,
             answers=("byte_lock",)),
    Scenario("gate-queue", SHARE + "--gate=hub", SUCCEED, prints(BIG),
             before=SHUT + '"$BACKOFF" --state-dir=state --gate=hub ' + HOLD,
             answers=("byte_lock",)),
]


# --- one run ------------------------------------------------------------------

def open_stdin(scenario, directory):
    """A descriptor that has all the data, and then ends."""
    if scenario.kind == "null":
        return os.open(os.devnull, os.O_RDONLY)
    if scenario.kind == "file":
        path = os.path.join(directory, "data")
        with open(path, "wb") as file:
            file.write(scenario.data)
        return os.open(path, os.O_RDONLY)
    if scenario.kind == "socket":
        ours, theirs = socket.socketpair()
        with ours:
            ours.sendall(scenario.data)
        return theirs.detach()
    reader, writer = roomy_pipe()
    os.write(writer, scenario.data)
    os.close(writer)
    return reader


def roomy_pipe():
    reader, writer = os.pipe()
    fcntl.fcntl(writer, F_SETPIPE_SZ, 1 << 20)
    return reader, writer


def read_rest(fd):
    os.set_blocking(fd, False)
    data = b""
    try:
        while part := os.read(fd, 1 << 20):
            data += part
    except BlockingIOError:
        pass
    os.close(fd)
    return data


def what_is_left(cookie):
    """Who has been told to end may need a moment."""
    until = time.monotonic() + LEAVING
    while (pids := bearers(f"{COOKIE}={cookie}")) and time.monotonic() < until:
        time.sleep(0.02)
    return [(pid, command_line(pid)) for pid in pids]


def read_files(directory):
    files = {}
    for name in os.listdir(directory):
        path = os.path.join(directory, name)
        if os.path.isfile(path) and name not in ("big", "data", "first"):
            with open(path, "rb") as file:
                files[name] = file.read()
    files["tmp"] = " ".join(os.listdir(os.path.join(directory, "tmp"))).encode()
    return files


def environment(directory, cookie):
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("BACKOFF", "GITHUB_", "LISTEN_", "WATCHDOG_"))}
    kept.pop("CI", None)
    # No leak can be looked for in a traced process.
    sanitizer = kept.get("ASAN_OPTIONS", "")
    return {**kept, "LC_ALL": "C", "TMPDIR": os.path.join(directory, "tmp"),
            "ASAN_OPTIONS": (sanitizer + ":detect_leaks=0").lstrip(":"),
            COOKIE: cookie}


def prepare(scenario, directory, cookie):
    subprocess.run(["sh", "-c", scenario.before], cwd=directory, check=False,
                   env={**environment(directory, cookie), "BACKOFF": BACKOFF},
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def strace_of(scenario, options):
    return ["strace", "-qq", "-y", "-e", "signal=none", "-o", "trace", *options, BACKOFF,
            *shlex.split(scenario.options), "--", "sh", "-c", BEGIN + scenario.command]


def start(command, directory, cookie, stdin):
    """The process, and the end of its stdout that is read."""
    reader, writer = roomy_pipe()
    with open(os.path.join(directory, "err"), "wb") as err:
        process = subprocess.Popen(
            command, stdin=stdin, stdout=writer, stderr=err, cwd=directory,
            env=environment(directory, cookie), start_new_session=True)
    os.close(writer)
    return process, reader


def run_scenario(scenario, options):
    """It, under strace with these options."""
    run = Run()
    with tempfile.TemporaryDirectory(prefix="faults-") as directory:
        cookie = directory + "/"
        os.mkdir(os.path.join(directory, "tmp"))
        with open(os.path.join(directory, "big"), "wb") as file:
            file.write(BIG)
        stdin = open_stdin(scenario, directory)
        prepare(scenario, directory, cookie)
        process, stdout = start(
            strace_of(scenario, options), directory, cookie, stdin)
        pidfd = os.pidfd_open(process.pid)
        run.hung = not readable(pidfd, PATIENCE)
        os.close(pidfd)
        if run.hung:
            kill_bearers(f"{COOKIE}={cookie}")
        run.status = process.wait()
        run.left = what_is_left(cookie)
        kill_bearers(f"{COOKIE}={cookie}")
        run.out, run.rest = read_rest(stdout), read_rest(stdin)
        run.files = read_files(directory)
        run.err = run.files.pop("err")
        run.trace = run.files.pop("trace", b"").decode(errors="replace")
    return run
