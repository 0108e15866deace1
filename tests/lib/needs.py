# SPDX-License-Identifier: MIT
"""What a test asks of the machine, where that takes Python.

  needs.py kcmp     exit status 0 if it can be had here, 77 if not
"""

import ctypes
import os
import sys

KCMP = {"x86_64": 312, "i686": 349, "aarch64": 272}


def kcmp():
  """Whether two descriptors can be compared: a sandbox may refuse that."""
  number = KCMP.get(os.uname().machine)
  return number is not None and ctypes.CDLL(None).syscall(
    number, os.getpid(), os.getpid(), 0, ctypes.c_ulong(2), ctypes.c_ulong(2)) == 0


if __name__ == "__main__":
  sys.exit(0 if {"kcmp": kcmp}[sys.argv[1]]() else 77)
