# SPDX-License-Identifier: MIT
"""hold_term.py COMMAND [ARG]...: becomes the command, with TERM blocked.

What it starts inherits that: a TERM for it stays pending, and /proc shows
it there. So a COMMAND of backoff that is to be cut can do first what the
test wants to see, however late it comes to that, and then look.
"""

import _signal as signal
import os
import sys

# Python ignores these two; we are not to be noticed.
for number in signal.SIGPIPE, signal.SIGXFSZ:
  signal.signal(number, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
os.execvp(sys.argv[1], sys.argv[1:])
