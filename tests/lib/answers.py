# SPDX-License-Identifier: MIT
"""An HTTP server on loopback that answers as the path asks it to.

  answers.py PORT DIRECTORY [CERTIFICATE KEY]

The first request for /503/429/200/FILE is answered with 503, the second one
with 429, and from the third one on FILE comes from DIRECTORY; only what
stands before FILE is counted, so that all files of a repository become
available at once. What is sent by PUT is kept there, where the answer is 200.
An image of a registry is asked for below /v2, which does not count. With a
certificate it speaks TLS. It runs in the background when it listens.
"""

import functools
import http.server
import os
import re
import ssl
import sys

asked = {}

class Handler(http.server.SimpleHTTPRequestHandler):
  def answer(self):
    script, self.path = re.match(r"(?:/v2)?((?:/[0-9]{3})*)(.*)", self.path).groups()
    statuses = [int(status) for status in script.split("/")[1:]] or [200]
    turn = asked[script] = asked.get(script, 0) + 1
    return statuses[min(turn, len(statuses)) - 1]

  def do_GET(self):
    status = self.answer()
    if status == 200:
      super().do_GET()
    else:
      self.send_error(status)

  do_OPTIONS = do_GET

  def do_PUT(self):
    status = self.answer()
    body = self.rfile.read(int(self.headers["Content-Length"]))
    if status == 200:
      with open(self.translate_path(self.path), "wb") as file:
        file.write(body)
      self.send_response(200)
      self.send_header("Content-Length", "0")
      self.end_headers()
    else:
      self.send_error(status)

def main():
  port, directory, *certificate = sys.argv[1:]
  handler = functools.partial(Handler, directory=directory)
  server = http.server.HTTPServer(("127.0.0.1", int(port)), handler)
  if certificate:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True,
                                        do_handshake_on_connect=False)
  if os.fork() == 0:
    server.serve_forever()

if __name__ == "__main__":
  main()
