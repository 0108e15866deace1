# SPDX-License-Identifier: MIT
"""Sends a TERM at each instant in turn of a stretch of a program's run.

  stepper.py start|pause|entry|return PROGRAM [ARG]...

The program is run again and again under ptrace(2): the first time it gets
the TERM at the first stop of the stretch, then at the second, until the
stretch has been left. After the TERM it runs untraced.

  start         the entry to and the return from each system call, from the
                exec to the first blocking wait after a spawn
  pause         likewise, from the first spawn to the pause that follows
  entry         each instruction from the last system call before the pause to
                that of the pause
  return        each instruction from the end of the pause to the next system
                call, and from there on as above to the next spawn

For `return` the pause has to end by itself, but not before its call: so it is
one of an hour, whose request we set to zero when it enters the kernel.

Each run must be ended by TERM. In `pause`, up to the first line on stderr,
the command's own status will do as well: a command that was ending when the
TERM reached it has not been killed by it. Exit status 77: we cannot trace.
"""

import ctypes
import functools
import os
import signal
import struct
import sys

import run

TRACEME, PEEKTEXT, POKEDATA, GETREGS, SINGLESTEP, DETACH, SYSCALL = 0, 1, 5, 12, 9, 17, 24
SETOPTIONS, GET_SYSCALL_INFO = 0x4200, 0x420e
TRACESYSGOOD, EXITKILL = 1, 1 << 20
ENTRY, EXIT = 1, 2
WNOHANG, WNOWAIT = 1, 0x1000000
CANNOT = 77

X86_64, I386, AARCH64 = 0xC000003E, 0x40000003, 0xC00000B7
NUMBERS = {  # of the calls that we must know
  X86_64: dict(write=[1, 20], spawn=[56, 57, 58, 435], sleep=[35, 230, 270, 271],
               wait=[7, 34, 128, 130, 232, 271, 281], wait4=61, waitid=247),
  I386: dict(write=[4, 146], spawn=[2, 120, 190, 435], sleep=[162, 267, 308, 309, 407, 413, 414],
             wait=[29, 168, 177, 179, 309, 414, 421], wait4=114, waitid=284),
  AARCH64: dict(write=[64, 66], spawn=[220, 435], sleep=[72, 73, 101, 115],
                wait=[73, 133, 137], wait4=260, waitid=95),
}

NANOSLEEP = 35  # of X86_64; clock_nanosleep and ppoll have the time third

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(request, pid, address=0, data=0):
  ctypes.set_errno(0)
  result = libc.ptrace(request, pid, address, data)
  if result == -1 and ctypes.get_errno():
    raise OSError(ctypes.get_errno(), "ptrace")
  return result


class Ended(Exception):
  """The program has ended before we came to send anything."""


class Tracee:
  def __init__(self, command):
    def prepare():
      os.setpgid(0, 0)
      run.clean_slate()
      ptrace(TRACEME, 0)

    self.pid = run.start(command, prepare)
    self.await_stop()
    ptrace(SETOPTIONS, self.pid, 0, TRACESYSGOOD | EXITKILL)

  def await_stop(self):
    """The signal that it stopped with, but for those of ptrace itself."""
    _, status = os.waitpid(self.pid, 0)
    if not os.WIFSTOPPED(status):
      raise Ended(run.fate_of(status))
    number = os.WSTOPSIG(status)
    return 0 if number in (signal.SIGTRAP, signal.SIGTRAP | 0x80) else number

  def go_on(self, request):
    number = 0
    while True:
      ptrace(request, self.pid, 0, number)
      number = self.await_stop()
      if not number:
        return

  def next_call(self):
    """(ENTRY, arch, its number, arguments) or (EXIT, arch, result, None)."""
    while True:
      self.go_on(SYSCALL)
      buffer = ctypes.create_string_buffer(88)
      ptrace(GET_SYSCALL_INFO, self.pid, len(buffer), ctypes.addressof(buffer))
      kind, arch = struct.unpack_from("=BxxxI", buffer.raw)
      if kind == ENTRY:
        number, *arguments = struct.unpack_from("=7Q", buffer.raw, 24)
        return kind, arch, number, arguments
      if kind == EXIT:
        return kind, arch, struct.unpack_from("=q", buffer.raw, 24)[0], None

  def at_call(self):
    """Whether the next instruction is a system call."""
    registers = ctypes.create_string_buffer(27 * 8)
    ptrace(GETREGS, self.pid, 0, ctypes.addressof(registers))
    instruction = struct.unpack("=27Q", registers.raw)[16]
    return ptrace(PEEKTEXT, self.pid, instruction) & 0xffff == 0x050f

  def zero_time(self, address):
    """Makes the struct timespec there a time that is over."""
    for offset in 0, 8:
      ptrace(POKEDATA, self.pid, address + offset, 0)

  def finish(self):
    """Sends the TERM, lets it run and returns its fate."""
    os.kill(self.pid, signal.SIGTERM)
    ptrace(DETACH, self.pid)
    return self.fate()

  def fate(self):
    _, status = os.waitpid(self.pid, 0)
    return run.fate_of(status)

  def abandon(self):
    os.killpg(self.pid, signal.SIGKILL)
    self.fate()


def blocks(known, number, arguments):
  if number == known["wait4"]:
    return not arguments[2] & WNOHANG
  if number == known["waitid"]:
    return not arguments[3] & WNOHANG
  return number in known["wait"]


def calls_from_start(tracee):
  """Yields at each stop; whether nothing but TERM will do there."""
  spawned = False
  while True:
    kind, arch, number, arguments = tracee.next_call()
    yield True
    if kind == ENTRY:
      if spawned and blocks(known_numbers(arch), number, arguments):
        return
      spawned = spawned or number in known_numbers(arch)["spawn"]


def calls_to_pause(tracee):
  spawned = spoke = False
  while True:
    kind, arch, number, arguments = tracee.next_call()
    if kind != ENTRY:
      if spawned:
        yield spoke
      continue
    known = known_numbers(arch)
    spoke = spoke or (number in known["write"] and arguments[0] == 2)
    if spawned:
      yield spoke
    if spoke and kind == ENTRY and number in known["sleep"]:
      return
    spawned = spawned or number in known["spawn"]


def to_first_line(tracee):
  """Goes to the return from the first write to stderr; which architecture."""
  while True:
    kind, arch, number, arguments = tracee.next_call()
    if kind == ENTRY and number in known_numbers(arch)["write"] and arguments[0] == 2:
      tracee.next_call()
      return arch


def calls_before_pause(command):
  """How many there are between the first line and the pause."""
  tracee = Tracee(command)
  if to_first_line(tracee) != X86_64:
    sys.exit(CANNOT)  # for at_call() knows no other
  count = 0
  while True:
    _, arch, number, _ = tracee.next_call()
    if number in known_numbers(arch)["sleep"]:
      tracee.abandon()
      return count
    tracee.next_call()
    count += 1


def instructions_to_call(tracee):
  while True:
    yield True
    if tracee.at_call():
      return
    tracee.go_on(SINGLESTEP)


def to_pause(tracee, calls):
  to_first_line(tracee)
  for _ in range(2 * calls):
    tracee.next_call()


def instructions_to_pause(tracee, calls):
  to_pause(tracee, calls)
  yield from instructions_to_call(tracee)


def end_pause_at_its_call(tracee, calls):
  to_pause(tracee, calls)
  _, arch, number, arguments = tracee.next_call()
  if number not in known_numbers(arch)["sleep"]:
    sys.exit("another call than the pause: %d" % number)
  tracee.zero_time(arguments[0 if number == NANOSLEEP else 2])
  tracee.next_call()


def return_from_pause(tracee, calls):
  end_pause_at_its_call(tracee, calls)
  yield from instructions_to_call(tracee)
  while True:
    kind, arch, number, _ = tracee.next_call()
    yield True
    if kind == ENTRY and number in known_numbers(arch)["spawn"]:
      return


def known_numbers(arch):
  if arch not in NUMBERS:
    sys.exit(CANNOT)
  return NUMBERS[arch]


STRETCHES = {  # and whether they need to know calls_before_pause()
  "start": (calls_from_start, False),
  "pause": (calls_to_pause, False),
  "entry": (instructions_to_pause, True),
  "return": (return_from_pause, True),
}


def can_step(command):
  try:
    tracee = Tracee(command)
    tracee.next_call()
    tracee.abandon()
    return True
  except (OSError, Ended):
    return False


def fate_at(stretch, command, instant):
  """The fate of a TERM at that stop, and whether it is as it must be."""
  tracee = Tracee(command)
  for count, strict in enumerate(stretch(tracee)):
    if count == instant:
      fate = tracee.finish()
      lenient = not strict and fate.startswith("exited") and fate != "exited 0"
      return fate, fate == "killed TERM" or lenient
  tracee.abandon()
  return None, True


def main():
  stretch, needs_survey = STRETCHES[sys.argv[1]]
  command = sys.argv[2:]
  os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
  os.environ["LD_BIND_NOW"] = "1"  # no instructions of the dynamic linker
  if not can_step(command):
    return CANNOT
  if needs_survey:
    stretch = functools.partial(stretch, calls=calls_before_pause(command))
  instant = 0
  while True:
    try:
      fate, good = fate_at(stretch, command, instant)
    except Ended as ended:
      print("ended before stop %d: %s" % (instant, ended))
      return 1
    if not good:
      print("TERM at stop %d: %s" % (instant, fate))
      return 1
    if fate is None:
      break
    instant += 1
  print("%d instant%s, none lost" % (instant, "" if instant == 1 else "s"))
  return 0 if instant else 1


if __name__ == "__main__":
  sys.exit(main())
