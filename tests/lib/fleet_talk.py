# SPDX-License-Identifier: MIT
"""Talks to backoff-fleet as backoff does: each line of stdin is a question, and
each message that comes is a line of stdout. "pid PID" is the first one, and
"ended" the last, when the helper has ended. At the end of stdin it is to end.

  fleet_talk.py HELPER
"""

import os
import socket
import subprocess
import sys
import threading


def main():
  # What a test talks to others by is not ours.
  os.closerange(3, 64)
  theirs, ours = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
  helper = subprocess.Popen(sys.argv[1:], pass_fds=(theirs.fileno(),))
  theirs.close()
  print("pid", helper.pid, flush=True)

  def ask():
    for line in sys.stdin:
      ours.send(line.encode())
    ours.shutdown(socket.SHUT_WR)

  threading.Thread(target=ask, daemon=True).start()
  for message in ours.makefile():
    print(message, end="", flush=True)
  helper.wait()
  print("ended", flush=True)


if __name__ == "__main__":
  try:
    main()
  except BrokenPipeError:
    os._exit(0)  # the test has ended first
