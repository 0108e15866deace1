# SPDX-License-Identifier: MIT
"""Starts a command whose parent can be ended while we see its fate.

  orphan.py [--thread FIFO] [--ignore SIGNALS] --parent FILE --pid FILE
            --fate FILE [--] COMMAND [ARG]...

Between us and the command there is one process, its parent. When that has
ended, the command is our child, as we are a subreaper. The ids of the two go
to --parent and --pid, and what waitpid(2) said of the command to --fate, as
with run.py. With --thread it is a thread of the parent that starts the
command; it ends, but not the parent, when it has read a line from FIFO.
"gone" is printed when the kernel has no such thread any more.
"""

import ctypes
import os
import signal
import sys
import threading
import time

import run
import words

PR_SET_CHILD_SUBREAPER = 36


def start(args):
  run.publish(args["pid"], str(run.start(args["command"], run.signals(args["ignore"]))))


def start_in_thread(args):
  started = []

  def body():
    started.append(threading.get_native_id())
    start(args)
    with open(args["thread"]) as fifo:
      fifo.readline()

  thread = threading.Thread(target=body)
  thread.start()
  thread.join()
  while os.path.exists("/proc/self/task/%d" % started[0]):
    time.sleep(0.01)
  print("gone", flush=True)


def be_parent(args):
  if args["thread"]:
    start_in_thread(args)
  else:
    start(args)
  while True:
    signal.pause()


def main():
  args, command = words.split(sys.argv[1:], thread=None, ignore="", parent=None, pid=None, fate=None)
  args["command"] = command
  signal.signal(signal.SIGCHLD, signal.SIG_DFL)
  if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
    sys.exit("orphan.py: cannot be a subreaper")
  parent = os.fork()
  if parent == 0:
    be_parent(args)
  run.publish(args["parent"], str(parent))
  while True:
    try:
      pid, status = os.wait()
    except ChildProcessError:
      return
    with open(args["pid"]) as file:
      if pid == int(file.read()):
        run.publish(args["fate"], run.fate_of(status))


if __name__ == "__main__":
  main()
