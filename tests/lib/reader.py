# SPDX-License-Identifier: MIT
"""Reads a command's stdout in the way, and at the moments, that it is told.

  reader.py [--stdout KIND] [--ignore SIGNALS] [--both] [--fate FILE]
      STEP... -- COMMAND [ARG]...

What it reads goes to its own stdout, and what waitpid(2) said in the end to
FILE, as run.py has it. KIND is pipe, nonblocking (so is the description that
the command has), socket (of one, with little room) or terminal; --both makes
it the command's stderr as well. Steps, in their order:

  full          until the command has filled the pipe, or the terminal, and
                waits for room
  read:N        exactly N bytes more
  read          all that is left
  close         from now on there is no reader
  kill:SIGNAL   to the command
  hear:FIFO     until somebody has written into it
  tell:FIFO     writes a line into it
  end           until the command has ended

"close" as the first step takes place before the command is started. In the
end all that is left is read, where there still is a reader.
"""

import _signal as signal
import array
import fcntl
import os
import sys
import termios
import time

import run
import words


def make_ends(kind):
  """The descriptor to read from, and the command's."""
  if kind == "terminal":
    return os.openpty()
  if kind == "socket":
    import socket
    ours, commands = socket.socketpair()
    commands.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    return ours.detach(), commands.detach()
  reader, writer = os.pipe()
  os.set_blocking(writer, kind != "nonblocking")
  return reader, writer


class Reader:
  def __init__(self, kind):
    self.reader, self.writer = make_ends(kind)
    self.is_terminal = kind == "terminal"
    self.pid = None
    self.status = None

  def start(self, command, ignored, both):
    def prepare():
      os.dup2(self.writer, 1)
      if both:
        os.dup2(self.writer, 2)
      os.closerange(3, 256)
      run.clean_slate(ignored)

    self.pid = run.start(command, prepare)
    os.close(self.writer)

  def some(self, most):
    try:
      got = os.read(self.reader, most)
    except OSError:  # a terminal's end of file
      return b""
    sys.stdout.buffer.write(got)
    sys.stdout.buffer.flush()
    return got

  def step_read(self, count=None):
    if count is None:
      while self.some(65536):
        pass
      return
    left = int(count)
    while left > 0:
      got = len(self.some(left))
      if got == 0:
        sys.exit("reader.py: %d bytes are missing" % left)
      left -= got

  def step_full(self):
    while self.has_room():
      self.must_live()
      time.sleep(0.02)

  def has_room(self):
    if self.is_terminal:
      import processes  # only here, as it takes its time
      # It may have room again without a word to the writer, which sleeps on.
      return self.waiting() == 0 or processes.stat_fields(self.pid)[0] != "S"
    # A pipe is full when its last page is begun.
    return self.waiting() <= fcntl.fcntl(self.reader, fcntl.F_GETPIPE_SZ) - 4096

  def waiting(self):
    count = array.array("i", [0])
    fcntl.ioctl(self.reader, termios.FIONREAD, count)
    return count[0]

  def must_live(self):
    pid, status = os.waitpid(self.pid, os.WNOHANG)
    if pid != 0:
      self.status = status
      sys.exit("reader.py: ended before its time: " + run.fate_of(status))

  def step_close(self):
    os.close(self.reader)
    self.reader = None

  def step_kill(self, name):
    os.kill(self.pid, run.signal_number(name))

  def step_hear(self, path):
    with open(path, "rb") as fifo:
      fifo.readline()

  def step_tell(self, path):
    with open(path, "wb") as fifo:
      fifo.write(b"\n")

  def step_end(self):
    if self.status is None:
      _, self.status = os.waitpid(self.pid, 0)

  def take(self, step):
    name, _, argument = step.partition(":")
    method = getattr(self, "step_" + name)
    method(*([argument] if argument else []))

  def finish(self):
    if self.reader is not None:
      self.step_read()
    self.step_end()
    return run.fate_of(self.status)


def main():
  middle = sys.argv.index("--")
  asked, steps = words.split(sys.argv[1:middle], stdout="pipe", ignore="", both=False, fate=None)
  reader = Reader(asked["stdout"])
  signal.signal(signal.SIGCHLD, signal.SIG_DFL)
  if steps[:1] == ["close"]:
    reader.take(steps[0])
    steps = steps[1:]
  reader.start(sys.argv[middle + 1:], run.signals(asked["ignore"]), asked["both"])
  try:
    for step in steps:
      reader.take(step)
    run.publish(asked["fate"], reader.finish())
  finally:
    if reader.status is None:
      os.kill(reader.pid, signal.SIGKILL)


if __name__ == "__main__":
  main()
