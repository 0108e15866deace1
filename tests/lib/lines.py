# SPDX-License-Identifier: MIT
"""Does the program watch lines as grep does, however they are written?

  lines.py FIRST LAST      one case for each seed; says which ones fail
  lines.py --write SEED FD FILE    what a case runs: writes FILE to FD in
                                   random pieces

A case is a text of random lines, short and long, with any bytes in them, and
a regular expression. It is written in pieces that end anywhere; after some
of them the writer waits until all has been taken from the pipe, so that a
reader surely meets that end. All bytes must arrive, and the verdict must be
that of grep -E in the C locale over the same lines, with \\001 for each NUL
and 4 KiB of each line.
"""

import array
import fcntl
import os
import random
import stat
import subprocess
import sys
import tempfile
import termios
import time

LINE = 4096
REGEXES = ["fatal", "^fatal", "fat.l", "fatal|error", "(fatal|error) [0-9]+", "a.b",
           "error( [0-9]+)? x", "^[^a-z]+$", "[[:cntrl:]]b", "\x01b", "\xff", "^$",
           "fatal$", "^fatal$", "x+fatal", "(ab)+\\.", "a{3}b?\\|", "^b*$", "er+or"]
WORDS = [b"fatal", b"error", b"fat", b"al", b" 42", b" x", b"a", b"b", b"ab", b".", b"|",
         b"\0", b"\0b", b"\x01", b"\xff", b"\xc3\xa9", b"\t", b"\r", b"aaa", b"er", b"ror",
         bytes(range(256))]


def make_line(chance, with_long):
  words = [chance.choice(WORDS) for _ in range(chance.randrange(6))]
  if with_long and chance.random() < 0.2:
    # What decides stands around the place beyond which nothing counts, or
    # behind it.
    words.insert(0, b"x" * (LINE + chance.choice([-9, -5, -3, 0, 1, 500, 20000])))
  return b"".join(words)


def make_text(chance, with_long):
  lines = [make_line(chance, with_long) for _ in range(chance.randrange(1, 40))]
  return b"\n".join(lines) + chance.choice([b"", b"\n"])


def matches(regex, text):
  lines = text.replace(b"\0", b"\x01").split(b"\n")
  if lines[-1] == b"":
    lines.pop()
  counted = b"".join(line[:LINE] + b"\n" for line in lines)
  grep = subprocess.run([b"grep", b"-aqE", b"-e", regex], input=counted,
                        env=dict(os.environ, LC_ALL="C"), check=False)
  return grep.returncode == 0


def run_case(seed, path):
  chance = random.Random(seed)
  regex = chance.choice(REGEXES)
  text = make_text(chance, with_long="$" not in regex)
  regex = regex.encode("latin-1")
  with open(path, "wb") as file:
    file.write(text)
  fd = chance.choice(["1", "2"])
  command = [os.environ["BACKOFF"], "-qq", "-n", "1", b"--stop-if=" + regex, "--",
             sys.executable, "-S", __file__, "--write", str(seed), fd, path]
  done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
  wanted = {"1": (text, b""), "2": (b"", text)}[fd]
  status = 1 if matches(regex, text) else 0
  if (done.stdout, done.stderr) == wanted and done.returncode == status:
    return True
  print("seed %d: %r on fd %s: status %d, wanted %d; bytes are %s" % (
      seed, regex, fd, done.returncode, status,
      "right" if (done.stdout, done.stderr) == wanted else "wrong"))
  return False


def wait_until_taken(fd):
  count = array.array("i", [1])
  while stat.S_ISFIFO(os.fstat(fd).st_mode) and count[0] > 0:
    fcntl.ioctl(fd, termios.FIONREAD, count)
    time.sleep(0)


def write_pieces(seed, fd, path):
  chance = random.Random("pieces %d" % seed)
  with open(path, "rb") as file:
    text = file.read()
  while text:
    size = chance.choice([1, 2, 5, 30, 300, 4096, 20000, 65536, 70000])
    os.write(fd, text[:size])
    text = text[size:]
    if chance.random() < 0.3:
      wait_until_taken(fd)


def main():
  if sys.argv[1] == "--write":
    write_pieces(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    return
  with tempfile.NamedTemporaryFile(dir=os.environ["BATS_TEST_TMPDIR"]) as file:
    seeds = range(int(sys.argv[1]), int(sys.argv[2]) + 1)
    wrong = sum(not run_case(seed, file.name) for seed in seeds)
  sys.exit(wrong > 0)


if __name__ == "__main__":
  main()
