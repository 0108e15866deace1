# SPDX-License-Identifier: MIT
"""An HTTP server on loopback that answers as the path asks it to.

  answers.py PORT DIRECTORY

The first request for /503/429/200/FILE is answered with 503, the second one
with 429, and from the third one on FILE comes from DIRECTORY; only what
stands before FILE is counted, so that all files of a repository become
available at once. It runs in the background when it listens.
"""

import functools
import http.server
import os
import re
import sys

asked = {}


class Handler(http.server.SimpleHTTPRequestHandler):
  def do_GET(self):
    script, self.path = re.match(r"((?:/[0-9]{3})*)(.*)", self.path).groups()
    statuses = [int(status) for status in script.split("/")[1:]] or [200]
    turn = asked[script] = asked.get(script, 0) + 1
    status = statuses[min(turn, len(statuses)) - 1]
    if status == 200:
      super().do_GET()
    else:
      self.send_error(status)


def main():
  port, directory = sys.argv[1:]
  handler = functools.partial(Handler, directory=directory)
  server = http.server.HTTPServer(("127.0.0.1", int(port)), handler)
  if os.fork() == 0:
    server.serve_forever()


if __name__ == "__main__":
  main()
