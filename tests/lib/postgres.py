# SPDX-License-Identifier: MIT
"""What a PostgreSQL server says to those who connect, and no more of it.

  postgres.py PORT ANSWER...

Each client that talks to it gets the next ANSWER, and the last one stays: starting, full
(too many clients), denied (a wrong password), or ready, which lets a client
in and does whatever it asks for. It runs in the background when it listens.

The messages are those of the protocol 3.0: a letter, the length of what
follows with its own four bytes, and the text.
"""

import os
import socket
import struct
import sys

REFUSALS = {
    "starting": ("57P03", "the database system is starting up"),
    "full": ("53300", "sorry, too many clients already"),
    "denied": ("28P01", 'password authentication failed for user "nobody"'),
}
ENCRYPTION = (80877103, 80877104)  # what asks for TLS and for GSSAPI
AUTHENTICATED = struct.pack("!cII", b"R", 8, 0)
READY = b"Z\0\0\0\5I"


def message(letter, text):
  return letter + struct.pack("!I", len(text) + 4) + text


def refusal(code, text):
  fields = "SFATAL\0VFATAL\0C%s\0M%s\0\0" % (code, text)
  return message(b"E", fields.encode())


def greet(connection, said):
  """Reads until the client wants to begin, without encryption."""
  while True:
    length, kind = struct.unpack("!II", said.read(8))
    said.read(length - 8)
    if kind not in ENCRYPTION:
      return
    connection.sendall(b"N")


def serve(connection, said):
  connection.sendall(AUTHENTICATED + READY)
  while True:
    letter, length = struct.unpack("!cI", said.read(5))
    said.read(length - 4)
    if letter == b"Q":
      connection.sendall(message(b"C", b"SELECT 0\0") + READY)


def main():
  port, *answers = sys.argv[1:]
  listener = socket.create_server(("127.0.0.1", int(port)))
  if os.fork() != 0:
    return
  while True:
    connection, _ = listener.accept()
    with connection, connection.makefile("rb") as said:
      try:
        greet(connection, said)
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if answer == "ready":
          serve(connection, said)
        else:
          connection.sendall(refusal(*REFUSALS[answer]))
      except (ConnectionError, struct.error):
        pass  # it has gone


if __name__ == "__main__":
  main()
