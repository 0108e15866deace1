# SPDX-License-Identifier: MIT
"""The scenarios of tests/stress, and how one of them is run and ended."""

import dataclasses
import fcntl
import functools
import os
import random
import shlex
import shutil
import signal
import subprocess
import time

import run
from processes import children, command_line, readable

BACKOFF = os.path.abspath(os.environ.get("BACKOFF") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "backoff"))
F_SETPIPE_SZ = 1031  # Python has its name since 3.10
SIGNALS = [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM]
PATIENCE = 60  # seconds, after which a signal is lost
READY = 9  # the descriptor on which COMMAND says that it runs


# --- scenarios --------------------------------------------------------------

@dataclasses.dataclass(frozen=True)
class Scenario:
    """FAILS and BIG stand for files; `own` are statuses of COMMAND itself."""
    name: str
    options: str
    command: tuple
    own: tuple = ()
    within: float = 0.01  # the latest instant, in seconds
    stdin: str = "null"
    stdout: str = "null"
    told_before: bool = False  # the end of the log comes before our end


READY_AND = f"echo >&{READY}; "
STAYS = READY_AND + "exec sleep 3600"
FAILS = ("sh", "-c", READY_AND + "exit 7")
STUBBORN = "trap '' HUP INT QUIT TERM; " + STAYS

SCENARIOS = [
    Scenario("pause", "-b 1h -j none -n inf", FAILS, own=(7,), within=0.006),
    Scenario("base-0", "-b 0 -n inf", ("FAILS",), own=(7,), within=0.02),
    Scenario("attempt", "-b 0 -n inf", ("sh", "-c", STAYS)),
    Scenario("before-retry", f"-b 0 -n inf --before-retry='{STAYS}'", ("FAILS",), own=(7,)),
    Scenario("at-end", f"-n 1 --at-end='{STAYS}'", ("FAILS",), own=(7,), told_before=True),
    Scenario("replay", "-b 0 -n inf", ("grep", "-q", "nowhere"), own=(1,), within=0.03,
             stdin="pipe"),
    Scenario("watch", "-b 0 -n inf --stop-if=never", ("cat", "BIG", "/nowhere"), own=(1,),
             within=0.03),
    Scenario("release", "-n 1 --hold", ("head", "-c", "300000", "/dev/zero"), stdout="stalled"),
    Scenario("timeout", "-b 0 -n inf -t 20ms", ("sh", "-c", STAYS), own=(124,), within=0.05),
    Scenario("kill", "-b 0 -n inf -t 20ms -k 10ms", ("sh", "-c", STUBBORN), own=(124,),
             within=0.06),
    Scenario("splay", "-n 1 --splay=1h..2h", ("true",), within=0.006),
]
# Behind all others, at a gate that is shut for hours and for a slot that is held.
if "byte_lock" not in os.environ.get("NOT_HERE", "").split():
    SCENARIOS += [Scenario("gate", "--gate=shut", ("sleep", "3600"), within=0.02),
                  Scenario("slot", "--slots=held:1", ("sleep", "3600"), within=0.02)]
MIXED, PID1 = "mixed", "pid1"
NAMES = [scenario.name for scenario in SCENARIOS] + [PID1, MIXED]


def mixed(draw):
    """Commands that fail or succeed at once or run long; any pauses."""
    command, status = draw.choice(
        [("FAILS", 7), ("SUCCEEDS", 0), ("false", 1), ("sleep 3600", 0)])
    pause, latest = draw.choice([("0", 0.014), ("1ms", 0.014), ("50ms", 0.08), ("1h", 0.014)])
    if command == "SUCCEEDS":
        latest = 0.004  # it is over soon
    return Scenario(MIXED, f"-n inf -d {pause}", tuple(command.split()), own=(status,),
                    within=latest)


@dataclasses.dataclass(frozen=True)
class Case:
    scenario: Scenario
    signal: int
    instant: float
    after_ready: bool  # or after the start
    init: bool


def draw_case(name, seed, number):
    draw = random.Random(f"{seed} {name} {number}")
    if name == MIXED:
        scenario = mixed(draw)
    elif name == PID1:
        # A splay does not tell when it has begun.
        scenario = draw.choice([s for s in SCENARIOS if s.name != "splay"])
    else:
        scenario = next(s for s in SCENARIOS if s.name == name)
    return Case(scenario, draw.choice(SIGNALS), draw.uniform(0, scenario.within),
                draw.random() < 0.5 and says_ready(scenario), name == PID1)


def says_ready(scenario):
    return scenario.stdout == "stalled" or \
        READY_AND in scenario.options + "".join(scenario.command)


# --- one run ------------------------------------------------------------------

def minimal(path, status):
    """An executable of three instructions, where one can be built."""
    tiny = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../bench/tiny.c")
    build = [*shlex.split(os.environ.get("CC") or "cc"), "-static", "-nostdlib",
             f"-DSTATUS={status}", "-o", path, tiny]
    if not shutil.which(build[0]) or subprocess.run(
            build, stderr=subprocess.DEVNULL, check=False).returncode != 0:
        with open(path, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\nexit {status}\n")
        os.chmod(path, 0o700)


@functools.lru_cache(maxsize=None)
def unshare():
    """The words that make a program PID 1; none where that is refused."""
    words = ["unshare", "--pid", "--fork", "--mount-proc"]
    for more in [], ["--user", "--map-root-user"]:
        if shutil.which("unshare") and subprocess.run(
                [*words, *more, "true"], stderr=subprocess.DEVNULL,
                check=False).returncode == 0:
            return words + more
    return []


def hold(directory):
    """Shuts the gate, and takes the slot: the process that has it."""
    os.environ["BACKOFF_STATE_DIR"] = directory
    for words in (["-n", "19", "-b", "0", "--", "sh", "-c", "exit 7"],
                  ["-n", "1", "-b", "1ms", "--", "sh", "-c", "exit 7"],
                  ["-n", "1", "--hint-max=inf", "--", "sh", "-c",
                   'echo after=10h >"$BACKOFF_HINT"; exit 7']):
        subprocess.run([BACKOFF, "-qq", "--gate=shut", *words], check=False)
    holder = subprocess.Popen([BACKOFF, "-qq", "--slots=held:1", "--", "sh", "-c",
                               "echo; exec sleep 100000"], stdout=subprocess.PIPE)
    holder.stdout.readline()
    return holder


def command_of(case, log):
    directory = os.path.dirname(log)
    files = {"FAILS": "fails", "SUCCEEDS": "succeeds", "BIG": "big"}
    command = [os.path.join(directory, files[word]) if word in files else word
               for word in case.scenario.command]
    return [*(unshare() if case.init else []), BACKOFF, "--log-format=json",
            f"--log-file={log}", *shlex.split(case.scenario.options), "--", *command]


def close_all(fds):
    for fd in fds:
        os.close(fd)


def open_pipes(scenario):
    """What the run has: its stdin, stdout, stderr and READY; and our ends, where
    its stdout, which nobody reads, and READY are to be read."""
    ready, ready_writer = os.pipe()
    stdin = os.open(os.devnull, os.O_RDONLY)
    output, stdout = os.pipe()
    if scenario.stdin == "pipe":
        os.close(stdin)
        stdin, writer = os.pipe()
        try:
            fcntl.fcntl(writer, F_SETPIPE_SZ, 1 << 20)
        except OSError:
            pass  # as much as there is room for
        os.set_blocking(writer, False)
        os.write(writer, b"a line\n" * 50000)
        os.close(writer)
    if scenario.stdout == "null":
        os.close(stdout)
        stdout = os.open(os.devnull, os.O_WRONLY)
    stderr = os.open(os.devnull, os.O_WRONLY)
    return (stdin, stdout, stderr, ready_writer), (output, ready)


def start(case, fds, log):
    words = command_of(case, log)
    return os.posix_spawnp(
        words[0], words, os.environ, setpgroup=0, setsigmask=[],
        setsigdef=[*SIGNALS, signal.SIGPIPE, signal.SIGCHLD],
        file_actions=[(os.POSIX_SPAWN_DUP2, *pair) for pair in zip(fds, (0, 1, 2, READY))])


def wait_ready(case, output, ready, pidfd, log):
    """Until it runs, as far as the case wants to know, or has ended; a
    COMMAND that has no time to say so on a busy machine is not waited for."""
    if case.init:
        # Before that a PID 1 is not there, or not ours.
        while not (os.path.exists(log) and os.path.getsize(log)) and not readable(pidfd, 0):
            time.sleep(0.0005)
    if case.after_ready:
        readable(output if case.scenario.stdout == "stalled" else ready, PATIENCE, pidfd)


def target_of(case, pid):
    """backoff itself, or who is PID 1 for it."""
    if not case.init:
        return pid
    return next(iter(children(pid)), None)


def what_is_left():
    """We are the subreaper: what the program leaves alive is our child."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return []
    left = [command_line(pid) for pid in children(os.getpid())]
    kill_children()
    return left


def kill_children():
    while pids := children(os.getpid()):
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


@dataclasses.dataclass
class Result:
    fate: str = ""
    seconds: float = 0  # from the signal to the end
    left: list = dataclasses.field(default_factory=list)  # what is alive
    log: str = ""
    log_after: str = ""  # what was written after the signal


def run_case(case, directory):
    # No other run writes there: each of us runs one at a time.
    log = os.path.join(directory, f"log-{os.getpid()}")
    theirs, ours = open_pipes(case.scenario)
    pid = start(case, theirs, log)
    close_all(theirs)
    pidfd = os.pidfd_open(pid)
    result = Result()
    try:
        wait_ready(case, *ours, pidfd, log)
        time.sleep(case.instant)
        target = target_of(case, pid)
        since = time.monotonic()
        if target is not None:
            os.kill(target, case.signal)
        told = os.path.getsize(log) if os.path.exists(log) else 0
        if readable(pidfd, PATIENCE):
            result.fate = run.fate_of(os.waitpid(pid, 0)[1])
        else:
            result.fate = "went on"
            kill_children()
        result.seconds = time.monotonic() - since
    finally:
        close_all([pidfd, *ours])
    result.left = what_is_left()
    result.log = take(log)
    result.log_after = result.log[told:]
    return result


def take(log):
    try:
        with open(log, encoding="utf-8") as file:
            text = file.read()
        os.unlink(log)
        return text
    except FileNotFoundError:
        return ""
