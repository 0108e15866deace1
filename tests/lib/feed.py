# SPDX-License-Identifier: MIT
"""Runs a command with a stdin of a given kind, and keeps what it left there.

  feed.py [--left FILE] [--open] [--late BYTES] [--reset FIFO] KIND DATA COMMAND...

KIND is pipe, fifo, unix or tcp (stream sockets, connected); what it carries
is the contents of the file DATA. When the command has ended, what is still
to be read there goes to the file of --left.

--open keeps the writer there until the command has ended; otherwise it leaves
as soon as it has written everything. --late writes only so many bytes, and
the rest when the command has ended, which implies --open. --reset breaks the
connection (tcp) as soon as somebody writes into that FIFO. Ends with the
command's status, 128+N for a signal.
"""

import argparse
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading

KINDS = ("pipe", "fifo", "unix", "tcp")


def ends(kind):
  """The descriptors to read from and to write to."""
  if kind == "pipe":
    return os.pipe()
  if kind == "fifo":
    return fifo()
  reader, writer = socket.socketpair() if kind == "unix" else connection()
  return reader.detach(), writer.detach()


def fifo():
  with tempfile.TemporaryDirectory(dir=os.environ.get("BATS_TEST_TMPDIR")) as directory:
    path = os.path.join(directory, "fifo")
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(path, os.O_WRONLY)
    os.set_blocking(reader, True)
    return reader, writer


def connection():
  with socket.create_server(("127.0.0.1", 0)) as server:
    writer = socket.create_connection(server.getsockname())
    reader, _ = server.accept()
    return reader, writer


def reset(fd):
  """Closes so that the other side finds its connection broken."""
  with socket.socket(fileno=fd) as end:
    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def write_all(fd, data):
  view = memoryview(data)
  while view:
    view = view[os.write(fd, view):]


def read_all(fd):
  parts = []
  while part := os.read(fd, 1 << 20):
    parts.append(part)
  return b"".join(parts)


def run(command, kind, data, late=None, stay=False, reset_by=None):
  """(the command's status, what it left)"""
  reader, writer = ends(kind)
  ended = threading.Event()

  def write():
    write_all(writer, data[:late])
    if reset_by:
      with open(reset_by, "rb") as file:
        file.read()
      reset(writer)
      return
    if stay or late is not None:
      ended.wait()
    write_all(writer, b"" if late is None else data[late:])
    os.close(writer)

  process = subprocess.Popen(command, stdin=reader)
  thread = threading.Thread(target=write, daemon=True)
  thread.start()
  status = process.wait()
  ended.set()
  os.set_blocking(reader, True)  # whatever the command has made of it
  left = read_all(reader)
  thread.join()
  return status, left


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument("--left")
  parser.add_argument("--open", action="store_true")
  parser.add_argument("--late", type=int)
  parser.add_argument("--reset")
  parser.add_argument("kind", choices=KINDS)
  parser.add_argument("data")
  parser.add_argument("command", nargs=argparse.REMAINDER)
  args = parser.parse_args()
  with open(args.data, "rb") as file:
    data = file.read()
  status, left = run(args.command, args.kind, data, args.late, args.open, args.reset)
  if args.left:
    with open(args.left, "wb") as file:
      file.write(left)
  sys.exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
  main()
