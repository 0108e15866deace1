# SPDX-License-Identifier: MIT
"""Ends a program by TERM at random instants, many times.

  stress.py BACKOFF RUNS DIRECTORY

Attempts and pauses are mixed: commands that fail or succeed at once or run
long, pauses from none to long. Each run must be killed by TERM, or end with
the status of a command that ended by itself (0 where it succeeded; where
it failed it must have been ending when the TERM came, for there is no other
way out of the loop), and leave no process behind. A run that outlives its
TERM by more than HELD has slept through it. Runs slower than SLOW are
repeated once, for the machine may have been busy.
"""

import collections
import ctypes
import os
import platform
import random
import shutil
import signal
import struct
import sys
import time

import run

SLOW = 0.2
HELD = 2.0  # the long pause and the long command take more than twice this
PR_SET_CHILD_SUBREAPER = 36

Case = collections.namedtuple("Case", "command status pause instant")


def minimal(path, status):
  """A static executable of three instructions, where we can write one."""
  if platform.machine() != "x86_64":
    return [shutil.which("true" if status == 0 else "false")]
  # mov edi, status; mov eax, 60 (exit); syscall
  code = b"\xbf" + struct.pack("<I", status) + b"\xb8\x3c\0\0\0\x0f\x05"
  base, entry = 0x400000, 64 + 56
  header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 62, 1,
                       base + entry, 64, 0, 0, 64, 56, 1, 0, 0, 0)
  size = entry + len(code)
  segment = struct.pack("<IIQQQQQQ", 1, 5, 0, base, base, size, size, 4096)
  with open(path, "wb") as file:
    file.write(header + segment + code)
  os.chmod(path, 0o700)
  return [path]


def random_case(commands):
  command, status = random.choice(commands)
  pause, latest = random.choice([("0", 0.014), ("1ms", 0.014), ("50ms", 0.08), ("5s", 0.014)])
  if status == 0:
    latest = 0.004  # it is over soon
  return Case(command, status, pause, random.uniform(0, latest))


def end_by_term(program, case):
  """(fate, seconds from the TERM to the end, whether a process was left)"""
  pid = os.posix_spawn(
    program,
    [program, "-n", "inf", "-d", case.pause, "--", *case.command],
    os.environ, setpgroup=0, setsigmask=[], setsigdef=[signal.SIGTERM, signal.SIGINT],
    file_actions=[(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDWR, 0),
                  (os.POSIX_SPAWN_DUP2, 0, 1), (os.POSIX_SPAWN_DUP2, 0, 2)])
  time.sleep(case.instant)
  since = time.monotonic()
  os.kill(pid, signal.SIGTERM)
  _, status = os.waitpid(pid, 0)
  return run.fate_of(status), time.monotonic() - since, anything_left()


def anything_left():
  """We are the subreaper: what the program leaves behind is ours."""
  try:
    os.waitpid(-1, os.WNOHANG)
    return True
  except ChildProcessError:
    return False


def judge(case, fate, seconds, left):
  """What is wrong, or None."""
  if fate not in ("killed TERM", "exited %d" % case.status):
    return fate
  if left:
    return "a process was left"
  if seconds > HELD:
    return "held for %.1f s" % seconds
  return None


def main():
  program, runs, directory = sys.argv[1], int(sys.argv[2]), sys.argv[3]
  if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
    print("no subreaper here: processes left behind will not be noticed")
  seed = random.randrange(1 << 32)
  random.seed(seed)
  commands = [([shutil.which("false")], 1), (minimal(directory + "/fails", 7), 7),
              ([shutil.which("sleep"), "5"], 0), (minimal(directory + "/succeeds", 0), 0)]
  times, slow, fates = [], [], collections.Counter()
  for _ in range(runs):
    case = random_case(commands)
    fate, seconds, left = end_by_term(program, case)
    wrong = judge(case, fate, seconds, left)
    if wrong:
      print("%s: %s, seed %d" % (wrong, case, seed))
      return 1
    fates[fate] += 1
    times.append(seconds)
    if seconds > SLOW:
      slow.append(case)
  times.sort()
  print("%d runs: %s" % (runs, ", ".join("%d %s" % (n, fate) for fate, n in fates.most_common())))
  print("from TERM to the end: median %.1f ms, worst %.1f ms" %
        (times[len(times) // 2] * 1000, times[-1] * 1000))
  for case in slow:
    fate, seconds, left = end_by_term(program, case)
    print("slower than %.0f ms, repeated: %.1f ms" % (SLOW * 1000, seconds * 1000))
    wrong = judge(case, fate, seconds, left)
    if wrong:
      print("%s: %s, seed %d" % (wrong, case, seed))
      return 1
  return 0


if __name__ == "__main__":
  sys.exit(main())
