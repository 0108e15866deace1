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

import os
import sys

import run
import words

KINDS = ("pipe", "fifo", "unix", "tcp")


def ends(kind):
  """The descriptors to read from and to write to."""
  if kind == "pipe":
    return os.pipe()
  if kind == "fifo":
    return fifo()
  import socket  # only here: it takes as long to load as all else
  reader, writer = socket.socketpair() if kind == "unix" else connection(socket)
  return reader.detach(), writer.detach()


def fifo():
  path = "%s/fifo.%d" % (os.environ.get("BATS_TEST_TMPDIR", "."), os.getpid())
  os.mkfifo(path)
  reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
  writer = os.open(path, os.O_WRONLY)
  os.unlink(path)
  os.set_blocking(reader, True)
  return reader, writer


def connection(socket):
  with socket.create_server(("127.0.0.1", 0)) as server:
    writer = socket.create_connection(server.getsockname())
    reader, _ = server.accept()
    return reader, writer


def reset(fd):
  """Closes so that the other side finds its connection broken."""
  import socket
  import struct
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


def fed(command, kind, data, late=None, stay=False, reset_by=None):
  """(the command's status, what it left)"""
  reader, writer = ends(kind)
  waits, ended = os.pipe()

  def write():
    os.close(reader)
    os.close(ended)
    write_all(writer, data[:late])
    if reset_by:
      with open(reset_by, "rb") as file:
        file.read()
      reset(writer)
      return
    if stay or late is not None:
      os.read(waits, 1)
    write_all(writer, b"" if late is None else data[late:])

  def prepare():
    os.dup2(reader, 0)
    os.closerange(3, 256)  # those of bats as well
    run.clean_slate()

  feeder = os.fork()
  if feeder == 0:
    try:
      write()
    finally:
      os._exit(127)
  pid = run.start(command, prepare)
  os.close(writer)
  _, status = os.waitpid(pid, 0)
  os.close(ended)
  os.set_blocking(reader, True)  # whatever the command has made of it
  left = read_all(reader)
  os.waitpid(feeder, 0)
  return os.waitstatus_to_exitcode(status), left


def main():
  asked, (kind, path, *command) = words.split(sys.argv[1:], left=None, open=False, late=None,
                                              reset=None)
  with open(path, "rb") as file:
    data = file.read()
  status, left = fed(command, kind, data, asked["late"] and int(asked["late"]), asked["open"],
                     asked["reset"])
  if asked["left"]:
    with open(asked["left"], "wb") as file:
      file.write(left)
  sys.exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
  main()
