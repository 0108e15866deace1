# SPDX-License-Identifier: MIT
"""Runs a command from a known signal state and tells its fate.

  run.py [--ignore SIGNALS] [--block SIGNALS] [--pid FILE] [--fate FILE]
         [--stderr KIND] [--] COMMAND [ARG]...

The command starts with every signal at its default and none blocked, and
then those of --ignore and --block as asked (comma-separated names; `all` is
all that can be). A shell cannot give it that: it ignores INT and QUIT for
what it starts in the background, and ignored signals are inherited from
whoever runs the tests.

The command leads a process group of its own in a session without a
terminal. Its id goes to --pid as soon as it has been exec'd; to --fate goes
what waitpid(2) said, which no shell tells apart from 128+N: "exited 7",
"killed TERM" or "killed SEGV, core". --stderr gives the command a stderr that
is no good: closed, full (/dev/full), broken (a pipe without a reader) or
stalled (a full pipe that nobody reads).
"""

import _signal as signal  # without its enumerations, which take as long as the interpreter
import os
import sys

import words

NAMES = {number: name[3:] for name, number in sorted(vars(signal).items(), reverse=True)
         if name.startswith("SIG") and name[3] != "_"}
UNTOUCHABLE = {signal.SIGKILL, signal.SIGSTOP, 32, 33, 34}  # a libc has the last


def signals(names):
  if names == "all":
    return set(signal.valid_signals()) - UNTOUCHABLE
  return {signal_number(name) for name in names.split(",") if name}


def signal_number(name):
  return int(name) if name.isdigit() else getattr(signal, "SIG" + name)


def signal_name(number):
  return NAMES.get(number, str(number))


def clean_slate(ignored=(), blocked=()):
  """Every disposition default, then these ignored; exactly these blocked."""
  for number in set(signal.valid_signals()) - UNTOUCHABLE:
    signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)
  signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def fate_of(status):
  if os.WIFEXITED(status):
    return "exited %d" % os.WEXITSTATUS(status)
  core = ", core" if os.WCOREDUMP(status) else ""
  return "killed %s%s" % (signal_name(os.WTERMSIG(status)), core)


def spoil_stderr(kind):
  if kind == "closed":
    os.close(2)
  elif kind == "full":
    os.dup2(os.open("/dev/full", os.O_WRONLY), 2)
  elif kind:
    reader, writer = os.pipe()
    os.dup2(writer, 2)
    if kind == "broken":
      os.close(reader)
    else:
      os.set_inheritable(reader, True)
      fill(writer)


def fill(pipe):
  os.set_blocking(pipe, False)
  try:
    while True:
      os.write(pipe, b" " * 4096)
  except BlockingIOError:
    os.set_blocking(pipe, True)


def start(command, prepare, environment=os.environ):
  """The process id of the command, which has been exec'd when we return. In its
  process, PREPARE comes before."""
  reader, writer = os.pipe()  # close-on-exec: end of file is the news
  pid = os.fork()
  if pid == 0:
    try:
      prepare()
      os.execvpe(command[0], command, environment)
    except OSError as error:
      os.write(2, ("run.py: %s: %s\n" % (command[0], error.strerror)).encode())
    finally:
      os._exit(127)
  os.close(writer)
  os.read(reader, 1)
  os.close(reader)
  return pid


def publish(path, text):
  """The whole text at once, for those who wait for the file."""
  if path:
    with open(path + ".new", "w") as new:
      new.write(text + "\n")
    os.rename(path + ".new", path)


def main():
  asked, command = words.split(sys.argv[1:], ignore="", block="", pid=None, fate=None, stderr=None)
  if os.getpid() != os.getpgrp():
    os.setsid()
  signal.signal(signal.SIGCHLD, signal.SIG_DFL)

  def prepare():
    os.setpgid(0, 0)
    spoil_stderr(asked["stderr"])
    clean_slate(signals(asked["ignore"]), signals(asked["block"]))

  pid = start(command, prepare)
  publish(asked["pid"], str(pid))
  _, status = os.waitpid(pid, 0)
  publish(asked["fate"], fate_of(status))


if __name__ == "__main__":
  main()
