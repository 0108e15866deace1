# SPDX-License-Identifier: MIT
"""Random input to commands that read random amounts and fail at random points.

  replay.py PROGRAM CASES DIRECTORY [SEED]

A case is made from its seed: a kind of stdin, what comes through it, in
chunks and with pauses, and whether the writer leaves then or stays; and
for each attempt how much it reads and how, and how it ends. What each
attempt saw must be what was written, from the start to where that attempt
stopped reading; and what is left in our stdin afterwards must begin where
the attempt that read the most has stopped: exactly there as long as that is
less than EXACT, at most AHEAD further on beyond. Cases take the seeds from
SEED (a random one) on; those that fail are printed, the first SHOWN of them,
and "replay.py PROGRAM 1 DIRECTORY SEED" runs that one again.
"""

import collections
import multiprocessing
import os
import random
import subprocess
import sys
import threading
import time

import feed

EXACT = 65536
AHEAD = 65536
PATIENCE = 120  # seconds; a run takes less than one
SHOWN = 5
KINDS = feed.KINDS + ("pipe", "pipe", "file")

# want: bytes, None is all; pause: seconds between reads; how: how it reads,
# and what it leaves behind: "late" is a process that reads on, until it finds
# the end; fate: an exit status, or "kill".
Attempt = collections.namedtuple("Attempt", "want block pause how fate")
Case = collections.namedtuple("Case", "seed kind data chunks late stays attempts limit")

# What is run as COMMAND: PATH, the attempts, the reading end of a pipe that
# ends when the case does. posix, because it is there without a search.
COMMAND = r"""
import posix, sys, time
number = int(posix.environ[b"BACKOFF_ATTEMPT"])
want, block, pause, how, fate = eval(sys.argv[2])[number - 1]
seen = []
while want is None or want > 0:
  if how == "poll":
    import select
    poll = select.poll()
    poll.register(0, select.POLLIN)
    poll.poll()
  part = posix.read(0, block if want is None else min(block, want))
  if not part:
    break
  seen.append(part)
  if want is not None:
    want -= len(part)
  if pause:
    time.sleep(pause)
file = posix.open("%s.%d" % (sys.argv[1], number), posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL)
rest = memoryview(b"".join(seen))
while rest:
  rest = rest[posix.write(file, rest):]
if how == "close":
  posix.close(0)
  time.sleep(0.002)
if how == "leave" and posix.fork() == 0:
  posix.read(int(sys.argv[3]), 1)
  posix._exit(0)
if how == "late" and posix.fork() == 0:
  late = posix.open("%s.late.%d" % (sys.argv[1], number), posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL)
  while part := posix.read(0, block):
    posix.write(late, part)
  posix._exit(0)
if fate == "kill":
  posix.kill(posix.getpid(), 9)
posix._exit(fate)
"""


def random_size(rng):
  """Small ones, any ones, and those next to where something changes."""
  about = rng.choice([0, 1, 4096, 8192, EXACT, 2 * EXACT])
  return rng.choice([
    rng.randrange(100),
    rng.randrange(10000),
    rng.randrange(300000),
    max(0, about + rng.randint(-2, 2)),
  ])


def random_chunks(rng, size):
  """[(bytes, pause before them in seconds)]"""
  largest = rng.choice([size, 4096, rng.randint(1, 5000), rng.randint(1, 70000)])
  largest = max(1, largest, size // 500)
  fixed = rng.random() < 0.3
  sleepy = rng.choice([0, 0, 0.01, 0.2])
  chunks, left, naps = [], size, 20
  while left > 0:
    chunk = min(left, largest if fixed else rng.randint(1, largest))
    nap = naps > 0 and rng.random() < sleepy
    naps -= nap
    chunks.append((chunk, rng.uniform(0, 0.004) if nap else 0))
    left -= chunk
  return chunks


def random_attempt(rng, size, may_wait, fate):
  want = rng.choice([None, 0, rng.randint(0, size), rng.randint(0, size), rng.randint(0, size),
                     min(size, random_size(rng)), size, size + rng.randint(1, 100)])
  if not may_wait and (want is None or want > size):
    want = rng.randint(0, size)
  amount = size if want is None else want
  block = rng.choice([rng.randint(1, 200), 4096, rng.randint(1, 10000), EXACT, 1 << 20])
  block = max(block, amount // 2000)
  reads = max(1, amount // block)
  pause = rng.uniform(0, 0.02 / reads) if reads <= 50 and rng.random() < 0.2 else 0
  how = rng.choice(["plain", "plain", "poll", "close", "leave", "late"])
  return Attempt(want, block, pause, how, fate)


def random_case(seed):
  rng = random.Random(seed)
  kind = rng.choice(KINDS)
  data = rng.randbytes(random_size(rng))
  chunks = random_chunks(rng, len(data))
  stays = kind != "file" and rng.random() < 0.4
  count = rng.choice([1, 2, 2, 3, 3, 4])
  fates = [rng.choice([7, 7, "kill"]) for _ in range(count - 1)] + [rng.choice([0, 0, 0, 7, "kill"])]
  attempts = [random_attempt(rng, len(data), not stays, fate) for fate in fates]
  if kind == "file":  # who reads on would move the offset of the next attempt
    attempts = [a._replace(how="plain") if a.how == "late" else a for a in attempts]
  # What nobody will ask for may come when everything is over.
  late = None
  if stays and rng.random() < 0.5:
    late = furthest(attempts, len(data))
  limit = None
  if kind != "file" and rng.random() < 0.15:
    limit = random_size(rng)
  return Case(seed, kind, data, chunks, late, stays, attempts, limit)


def furthest(attempts, size):
  """How much the attempt that reads the most reads."""
  return max(size if a.want is None else min(a.want, size) for a in attempts)


def write(fd, case, ended):
  """Feeds the program, as a thread."""
  start = 0
  for size, pause in case.chunks:
    end = start + size
    if case.late is not None and start <= case.late < end:
      feed.write_all(fd, case.data[start:case.late])
      ended.wait()
      start = case.late
    if pause:
      time.sleep(pause)
    feed.write_all(fd, case.data[start:end])
    start = end
  if case.stays:
    ended.wait()
  os.close(fd)


def open_file(case, path):
  """A file is no stream: it is whole from the start."""
  with open(path, "wb") as file:
    file.write(case.data)
  return os.open(path, os.O_RDONLY)


def run(program, case, base):
  """(the program's status, what it said, what it left), None: it hangs."""
  ended = threading.Event()
  thread = None
  if case.kind == "file":
    reader = open_file(case, base + ".in")
  else:
    reader, writer = feed.ends(case.kind)
    thread = threading.Thread(target=write, args=(writer, case, ended), daemon=True)
  lifeline, lifeline_end = os.pipe()
  limit = [] if case.limit is None else ["--spool-limit=%d" % case.limit]
  command = [sys.executable, "-I", "-S", "-c", COMMAND, base,
             repr([tuple(a) for a in case.attempts]), str(lifeline)]
  process = subprocess.Popen(
    [program, "-qq", "--base=0", "-n%d" % len(case.attempts), "--stdin=replay", *limit, "--", *command],
    stdin=reader, stderr=subprocess.PIPE, pass_fds=[lifeline])
  os.close(lifeline)
  if thread:
    thread.start()
  try:
    # Those that are left behind hold its stderr: not to its end, then.
    status = process.wait(PATIENCE)
  except subprocess.TimeoutExpired:
    status = None
    process.kill()
    process.wait()
  os.close(lifeline_end)
  said = process.stderr.read()
  process.stderr.close()
  ended.set()
  left = feed.read_all(reader)
  os.close(reader)
  if thread:
    thread.join()
  return status, said, left


def contents(path):
  """Of a file that is removed; None: there is none."""
  try:
    with open(path, "rb") as file:
      os.unlink(path)
      return file.read()
  except FileNotFoundError:
    return None


def seen(base):
  """What each attempt saw, in turn, and what it left behind saw after it."""
  parts, late = [], []
  while (part := contents("%s.%d" % (base, len(parts) + 1))) is not None:
    parts.append(part)
    late.append(contents("%s.late.%d" % (base, len(parts))) or b"")
  return parts, late


def difference(what, expected, found):
  at = next((i for i, (a, b) in enumerate(zip(expected, found)) if a != b),
            min(len(expected), len(found)))
  return "%s: %d bytes where %d were to be, which differ from %d on" % (
    what, len(found), len(expected), at)


def judge_count(case, reaches):
  """--spool-limit: the first failure after more was read ends it."""
  size, count = len(case.data), len(reaches)
  for number in range(1, len(case.attempts)):
    if case.limit is None or case.kind == "file" or number > count:
      continue
    taken = max(reaches[:number])
    surely = taken > case.limit
    perhaps = taken >= EXACT and min(size, taken + AHEAD) > case.limit
    if surely and count > number:
      return "attempt %d after %d bytes with a limit of %d" % (count, taken, case.limit)
    if count == number and (surely or perhaps):
      return None
  if count != len(case.attempts):
    return "%d attempts instead of %d" % (count, len(case.attempts))
  return None


def judge_left(case, reaches, left):
  size = len(case.data)
  start = reaches[-1] if case.kind == "file" else max(reaches)
  ahead = AHEAD if case.kind != "file" and start >= EXACT else 0
  expected = case.data[start:]
  if not expected.endswith(left):
    return difference("left", expected, left)
  if len(expected) - len(left) > ahead:
    return "taken: %d bytes, of which %d were read" % (size - len(left), start)
  return None


def judge_seen(case, parts, late):
  for number, (attempt, part, rest) in enumerate(zip(case.attempts, parts, late), 1):
    if part != case.data[:attempt.want]:
      return difference("attempt %d saw" % number, case.data[:attempt.want], part)
    then = case.data[len(part):len(part) + len(rest)]
    if rest != then:
      return difference("what attempt %d left behind saw" % number, then, rest)
  return None


def judge(case, result, parts, late):
  """What is wrong, or None."""
  status, said, left = result
  if status is None:
    return "hangs"
  if said:
    return "says %r" % said
  if not parts:
    return "no attempt"
  reaches = [len(part) + len(rest) for part, rest in zip(parts, late)]
  wrong = judge_seen(case, parts, late) or judge_count(case, reaches)
  if wrong:
    return wrong
  fate = case.attempts[len(parts) - 1].fate
  expected = -9 if fate == "kill" else fate
  if status != expected:
    return "status %d instead of %d" % (status, expected)
  return judge_left(case, reaches, left)


def text_of(case):
  return "%s of %d bytes in %d chunks, late %s, stays %s, limit %s\n%s" % (
    case.kind, len(case.data), len(case.chunks), case.late, case.stays, case.limit,
    "\n".join("  %d: %r" % pair for pair in enumerate(case.attempts, 1)))


def try_case(arguments):
  """(the kind, what is wrong or None)"""
  program, seed, directory = arguments
  case = random_case(seed)
  base = os.path.join(directory, str(seed))
  result = run(program, case, base)
  wrong = judge(case, result, *seen(base))
  if case.kind == "file":
    os.unlink(base + ".in")
  return case.kind, wrong and "seed %d: %s\n%s" % (seed, wrong, text_of(case))


def main():
  program, count, directory = sys.argv[1], int(sys.argv[2]), sys.argv[3]
  first = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 32)
  cases = [(program, first + i, directory) for i in range(count)]
  kinds, failures = collections.Counter(), 0
  # They pause more than they work.
  with multiprocessing.Pool(2 * len(os.sched_getaffinity(0))) as pool:
    for kind, wrong in pool.imap_unordered(try_case, cases):
      kinds[kind] += 1
      if wrong:
        failures += 1
        if failures <= SHOWN:
          print(wrong)
  print("%d cases from seed %d on: %s; %d failed" % (
    count, first, ", ".join("%d %s" % (n, kind) for kind, n in sorted(kinds.items())), failures))
  return failures != 0


if __name__ == "__main__":
  sys.exit(main())
