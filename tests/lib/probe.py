# SPDX-License-Identifier: MIT
"""A command that counts the signals it gets.

  probe.py [--exit N] [--own-group] [--tell-parent SIGNAL]

It prints "ready PID PARENT", then a line for each signal, "got INT from
kernel" or "got INT from user" (as si_code says: a terminal or kill(2)), and
for signal 40, the barrier, "seen INT=1 ..." or "seen nothing", and ends with
the status of --exit. Signals are dequeued lowest number first, ours and
those of a process between, so that what was sent before the barrier and
passed on at all has been counted when the barrier comes.

--own-group moves it to a process group of its own; --tell-parent sends that
signal to its parent once it is ready.
"""

import _signal as signal
import os
import sys

import run
import words

BARRIER = 40
FROM_KERNEL = 128  # SI_KERNEL
LEFT_ALONE = {"KILL", "STOP", "CHLD", "TSTP", "TTIN", "TTOU", "SEGV", "BUS",
              "ILL", "FPE", "ABRT", "TRAP", "SYS", "PIPE", "XFSZ", "XCPU"}


def say(text):
  os.write(1, (text + "\n").encode())


def awaited():
  return {number for number in signal.valid_signals()
          if run.signal_name(number) not in LEFT_ALONE}


def count(awaited_signals):
  seen = {}
  while True:
    info = signal.sigwaitinfo(awaited_signals)
    if info.si_signo == BARRIER:
      return seen
    name = run.signal_name(info.si_signo)
    seen[name] = seen.get(name, 0) + 1
    say("got %s from %s" % (name, "kernel" if info.si_code == FROM_KERNEL else "user"))


def main():
  asked, _ = words.split(sys.argv[1:], exit=0, own_group=False, tell_parent=None)
  if asked["own_group"]:
    os.setpgid(0, 0)
  signal.pthread_sigmask(signal.SIG_SETMASK, awaited())
  say("ready %d %d" % (os.getpid(), os.getppid()))
  if asked["tell_parent"]:
    os.kill(os.getppid(), run.signal_number(asked["tell_parent"]))
  seen = count(awaited())
  say("seen " + (" ".join("%s=%d" % pair for pair in sorted(seen.items())) or "nothing"))
  sys.exit(int(asked["exit"]))


if __name__ == "__main__":
  main()
