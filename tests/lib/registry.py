# SPDX-License-Identifier: MIT
"""A registry of images on loopback that answers as an image's name asks it to.

  registry.py PORT

127.0.0.1:PORT/denied is an image that may not be read: see ANSWERS. It runs in
the background when it listens.
"""

import http.server
import json
import os
import sys

# Name: status, code and message of the error; no code: the body is a page.
ANSWERS = {
    "missing": (404, "MANIFEST_UNKNOWN", "manifest unknown"),
    "unnamed": (404, "NAME_UNKNOWN", "repository name not known to registry"),
    "denied": (403, "DENIED", "requested access to the resource is denied"),
    "login": (401, "UNAUTHORIZED", "authentication required"),
    "failing": (503, "UNAVAILABLE", "service unavailable"),
    "page": (404, None, "<html>Not Found</html>"),
    "forbidden": (403, None, "<html>Forbidden</html>"),
}


class Handler(http.server.BaseHTTPRequestHandler):
  def respond(self):
    self.rfile.read(int(self.headers.get("Content-Length", 0)))
    status, body = 200, b"{}"
    if self.path != "/v2/":
      status, code, message = ANSWERS[self.path.split("/")[2]]
      body = message.encode()
      if code is not None:
        body = json.dumps({"errors": [{"code": code, "message": message}]}).encode()
    self.send_response(status)
    self.send_header("Content-Type",
                     "text/html" if body[:1] == b"<" else "application/json")
    self.send_header("Content-Length", str(len(body)))
    self.end_headers()
    if self.command != "HEAD":
      self.wfile.write(body)

  do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = respond


def main():
  server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
  if os.fork() == 0:
    server.serve_forever()


if __name__ == "__main__":
  main()
