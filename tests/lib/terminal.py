# SPDX-License-Identifier: MIT
"""Sits at a terminal with an interactive bash, as a script on stdin tells.

  terminal.py [COMMAND [ARG]...]

With a COMMAND it is that which leads the session, and there is no bash.

One step a line:
  type TEXT        type TEXT and Enter
  key C-x          press that key with Ctrl
  wait REGEX       until the terminal shows it, after what was waited for last
  prompt           until bash prompts again
  status N         likewise, and N is the status of what has ended
  never REGEX      it has not been shown up to now
  kill SIGNAL N    send SIGNAL to the process whose id was the Nth group of
                   the last REGEX that had groups
  state N LETTERS  until that process is in one of these states (ps(1)); X is
                   gone or dead
  file PATH REGEX  until a file has it; as with wait, groups are kept
  hangup           kill bash, for which the kernel sends HUP to its foreground
  unplug           close the other side of the terminal, for which the kernel
                   sends HUP and CONT to the leader; nothing is shown any more
  fate TEXT        until the leader has ended, in that way (see run.py)
  resize ROWS COLS of the terminal
  output off|on    what Ctrl-S and Ctrl-Q do

bash is the session leader and gives each job a group of its own. A command
that led the session itself would be in an orphaned group, in which the
kernel discards the TSTP of Ctrl-Z. The terminal does not echo, so that what
is typed is not taken for what was answered.
"""

import _signal as signal
import fcntl
import os
import re
import select
import struct
import sys
import termios
import time

import processes
import run

PROMPT = "<prompt>"
PATIENCE = 170  # seconds until a step that waits is a failure


class Failure(Exception):
  pass


class Terminal:
  def __init__(self, leader):
    self.shown = ""
    self.status = None
    self.position = 0
    self.groups = ()
    self.master, self.slave = os.openpty()
    environment = dict(os.environ, PS1=PROMPT, PS2="", LC_ALL="C", HISTFILE="", TERM="dumb")
    for name in ("PROMPT_COMMAND", "ENV", "BASH_ENV"):
      environment.pop(name, None)
    self.shell = run.start(leader or ["bash", "--norc", "--noprofile", "--noediting", "-i"],
                           lambda: sit_at(self.slave), environment)
    self.resize("24", "80")
    if not leader:
      self.prompt()

  def type(self, text):
    os.write(self.master, text.encode() + b"\n")

  def key(self, name):
    os.write(self.master, bytes([ord(name[-1].upper()) & 0x1f]))

  def read(self, seconds):
    if self.master is None:
      time.sleep(seconds)
    elif select.select([self.master], [], [], seconds)[0]:
      self.shown += os.read(self.master, 65536).decode(errors="replace").replace("\r", "")

  def until(self, condition, complaint):
    """What CONDITION gives, once that is something."""
    deadline = time.monotonic() + PATIENCE
    while not (given := condition()):
      if time.monotonic() > deadline:
        raise Failure(complaint())
      self.read(0.02)
    return given

  def wait(self, regex):
    wanted = re.compile(regex)
    match = self.until(lambda: wanted.search(self.shown, self.position),
                       lambda: "not shown: " + regex)
    self.position = match.end()
    self.groups = match.groups() or self.groups

  def file(self, path, regex):
    match = self.until(lambda: re.search(regex, contents(path)),
                       lambda: "not in %s: %s" % (path, regex))
    self.groups = match.groups() or self.groups

  def hangup(self):
    os.kill(self.shell, signal.SIGKILL)

  def unplug(self):
    os.close(self.master)
    self.master = None

  def fate(self, text):
    self.until(self.ended, lambda: "the leader still runs")
    if run.fate_of(self.status) != text:
      raise Failure("the leader: " + run.fate_of(self.status))

  def ended(self):
    if self.status is None:
      pid, status = os.waitpid(self.shell, os.WNOHANG)
      self.status = status if pid else None
    return self.status is not None

  def prompt(self):
    self.wait(re.escape(PROMPT))

  def expect_status(self, number):
    self.prompt()
    self.type("echo status $?")
    self.wait("status %s\n" % number)

  def never(self, regex):
    self.read(0)
    if re.search(regex, self.shown):
      raise Failure("shown: " + regex)

  def process(self, group):
    return int(self.groups[int(group) - 1])

  def kill(self, name, group):
    os.kill(self.process(group), run.signal_number(name))

  def state(self, group, letters):
    pid = self.process(group)
    self.until(lambda: state_of(pid) in letters,
               lambda: "process %d is in state %s" % (pid, state_of(pid)))

  def resize(self, rows, columns):
    fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("4H", int(rows), int(columns), 0, 0))

  def output(self, how):
    termios.tcflow(self.slave, termios.TCOOFF if how == "off" else termios.TCOON)

  def close(self):
    if self.master is not None:
      termios.tcflow(self.slave, termios.TCOON)
    for pid in members(self.shell):
      try:
        os.kill(pid, signal.SIGKILL)
      except ProcessLookupError:
        pass
    if self.status is None:
      os.waitpid(self.shell, 0)


def contents(path):
  try:
    with open(path) as file:
      return file.read()
  except FileNotFoundError:
    return ""


def sit_at(slave):
  attributes = termios.tcgetattr(slave)
  attributes[3] &= ~termios.ECHO
  termios.tcsetattr(slave, termios.TCSANOW, attributes)
  os.setsid()
  fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
  for fd in range(3):
    os.dup2(slave, fd)
  os.closerange(3, 256)  # those of bats as well
  run.clean_slate()


def state_of(pid):
  try:
    return processes.stat_fields(pid)[0]
  except OSError:
    return "X"


def members(session):
  found = []
  for pid in processes.ids():
    try:
      if int(processes.stat_fields(pid)[3]) == session:
        found.append(pid)
    except OSError:
      pass
  return found


def main():
  terminal = Terminal(sys.argv[1:])
  step = "start"
  try:
    for step in sys.stdin.read().splitlines():
      verb, _, rest = step.partition(" ")
      if verb in ("type", "wait", "never", "key", "output", "fate"):
        getattr(terminal, verb)(rest)
      elif verb == "status":
        terminal.expect_status(rest)
      elif verb == "file":
        terminal.file(*rest.split(" ", 1))
      elif verb:
        getattr(terminal, verb)(*rest.split())
  except (Failure, OSError) as failure:
    sys.stdout.write("%s\n%s: %s\n" % (terminal.shown, step, failure))
    return 1
  finally:
    terminal.close()
  sys.stdout.write(terminal.shown + "\n")
  return 0


if __name__ == "__main__":
  sys.exit(main())
