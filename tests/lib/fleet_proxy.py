# SPDX-License-Identifier: MIT
"""A Redis server that is ill: passes on what comes to one that is not, and
does something to it.

  fleet_proxy.py FRONT BACK FAULT

FRONT and BACK are sockets. It says "ready" when it listens. FAULT:

  closed          each connection is closed when something comes
  hole            nothing is ever answered
  cut             the last byte of an answer is missing, and the connection is closed
  before-exec     it is closed before a transaction is complete
  after-exec      it is closed when the transaction has been made
  crossed=NUMBER  before each of so many transactions another client writes
                  to the gate "hub"
  clock=FILE      its clock is ahead by the seconds that FILE has
  still=FILE      the process that FILE names is stopped once, for half a second
  answer=LINE     each command is answered with this line
  endless         the answer is very long
"""

import os
import re
import signal
import socket
import sys
import threading
import time

# What the command of this name is answered.
TIME = re.compile(rb"(\*2\r\n\$10\r\n)([0-9]{10})(\r\n\$[1-6]\r\n[0-9]+\r\n)")

front, back, fault = sys.argv[1:]
fault, _, argument = fault.partition("=")
crossed = []


def end(*sockets):
  for each in sockets:
    try:
      each.shutdown(socket.SHUT_RDWR)
    except OSError:
      pass


def count_commands(data):
  """Each begins with an array of so many strings; no argument of ours does."""
  return sum(line.startswith(b"*") and line[1:].isdigit() for line in data.split(b"\r\n"))


def answer_all(client):
  """What needs no server behind it."""
  while data := client.recv(65536):
    if fault == "closed":
      return
    if fault == "answer":
      client.sendall((argument.encode() + b"\r\n") * count_commands(data))
    elif fault == "endless":
      client.sendall(b"$1000000000\r\n")
      while True:
        client.sendall(bytes(65536))


def to_server(client, server):
  while data := client.recv(65536):
    at = data.find(b"*1\r\n$4\r\nEXEC")
    if at >= 0 and fault == "before-exec":
      server.sendall(data[:at])
      break
    if at >= 0 and fault == "crossed" and len(crossed) < int(argument):
      crossed.append(at)
      with socket.socket(socket.AF_UNIX) as other:
        other.connect(back)
        other.sendall(b"SET backoff:{hub}:gate other\r\n")
        other.recv(100)
    if fault == "still" and os.path.exists(argument):
      with open(argument) as file:
        process = int(file.read())
      os.kill(process, signal.SIGSTOP)
      time.sleep(0.5)
      os.kill(process, signal.SIGCONT)
      os.unlink(argument)
    server.sendall(data)
  end(client, server)


def step(answer):
  with open(argument) as file:
    return b"%s%d%s" % (answer[1], int(answer[2]) + int(file.read()), answer[3])


def to_client(client, server):
  while data := server.recv(65536):
    if fault == "clock":
      data = TIME.sub(step, data)
    if fault == "cut":
      client.sendall(data[:-1])
      break
    client.sendall(data)
  end(client, server)


def quietly(function, *sockets):
  try:
    function(*sockets)
  except OSError:
    pass
  end(*sockets)


def serve(client):
  if fault in ("closed", "hole", "answer", "endless"):
    quietly(answer_all, client)
    client.close()
    return
  with client, socket.socket(socket.AF_UNIX) as server:
    server.connect(back)
    answers = threading.Thread(target=quietly, args=(to_client, client, server))
    if fault != "after-exec":
      answers.start()
      quietly(to_server, client, server)
      answers.join()
    else:
      relay(client, server)


def relay(client, server):
  """In turns: what is answered to the transaction is never passed on."""
  while data := client.recv(65536):
    server.sendall(data)
    answer = server.recv(65536)
    if b"$4\r\nEXEC" in data:
      return
    client.sendall(answer)


def main():
  with socket.socket(socket.AF_UNIX) as listener:
    listener.bind(front)
    listener.listen(64)
    print("ready", flush=True)
    while True:
      client, _ = listener.accept()
      threading.Thread(target=serve, args=(client,), daemon=True).start()


if __name__ == "__main__":
  main()
