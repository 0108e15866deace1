# SPDX-License-Identifier: MIT
"""What /proc tells of processes."""

import os
import select
import signal


def ids():
  return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def stat_fields(pid):
  """Those behind the name, which may be no text: the state, the parent and so on."""
  with open(f"/proc/{pid}/stat", errors="replace") as file:
    return file.read().rpartition(")")[2].split()


def command_line(pid):
  """Its words, with blanks between them."""
  try:
    with open(f"/proc/{pid}/cmdline", "rb") as file:
      return file.read().replace(b"\0", b" ").decode(errors="replace")
  except OSError:
    return "?"


def children(pid):
  try:
    with open(f"/proc/{pid}/task/{pid}/children") as file:
      return [int(child) for child in file.read().split()]
  except OSError:
    return []


def readable(fd, seconds, *others):
  """Whether one of these can be read within that time, as a pidfd can be once its
  process has ended: waits for the event, not for the clock."""
  poll = select.poll()
  for each in (fd, *others):
    poll.register(each, select.POLLIN)
  return bool(poll.poll(seconds * 1000))


def bearers(mark):
  """The processes that have a variable in their environment that begins so: what is
  marked marks what it starts, wherever that moves."""
  found = []
  for pid in ids():
    try:
      with open(f"/proc/{pid}/environ", "rb") as file:
        if b"\0" + mark.encode() in b"\0" + file.read():
          found.append(pid)
    except OSError:
      pass
  return found


def kill_bearers(mark):
  """And what these start meanwhile."""
  while pids := bearers(mark):
    for pid in pids:
      try:
        os.kill(pid, signal.SIGKILL)
      except ProcessLookupError:
        pass
