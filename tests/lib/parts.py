# SPDX-License-Identifier: MIT
"""Programs that show one thing after the other with real processes, and print
what they measured: tests/memory, load, fleet and rates."""

import argparse
import collections
import os
import shutil
import signal
import subprocess
import tempfile

BACKOFF = os.path.abspath(os.environ.get("BACKOFF", "./backoff"))
failures = 0


def check(good, what):
  global failures
  print("%s %s" % ("ok    " if good else "FAILED", what), flush=True)
  failures += not good


def default_signals():
  for number in signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM:
    signal.signal(number, signal.SIG_DFL)


class Place:
  """A directory with one for states, and what was started there, which ends with it."""

  def __init__(self):
    self.path = tempfile.mkdtemp(prefix="backoff-")
    self.env = dict(os.environ, BACKOFF_STATE_DIR=self.path + "/state")
    self.running = set()
    os.mkdir(self.path + "/state", 0o700)

  def popen(self, words, stdin=subprocess.DEVNULL, **settings):
    process = subprocess.Popen(words, cwd=self.path, env=self.env, stdin=stdin,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               preexec_fn=default_signals, **settings)
    self.running.add(process)
    return process

  def script(self, name, text):
    with open(self.path + "/" + name, "w") as file:
      file.write(text)
    os.chmod(file.name, 0o755)

  def lines(self, name):
    try:
      with open(self.path + "/" + name) as file:
        return file.read().splitlines()
    except FileNotFoundError:
      return []

  def __enter__(self):
    return self

  def __exit__(self, *_):
    for process in self.running:
      if process.poll() is None:
        process.kill()
        process.wait()
    shutil.rmtree(self.path)


NGINX = """daemon off; worker_processes 1; pid nginx.pid; error_log nginx.error;
%s
events { worker_connections 1024; }
http {
  log_format brief '$msec $request_time $status'; access_log access brief;
  client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3;
  uwsgi_temp_path t4; scgi_temp_path t5;
  %s
}
"""


def nginx(path, http, module=""):
  """The command of a server in that directory, with this in its http block."""
  with open(path + "/nginx.conf", "w") as file:
    file.write(NGINX % (module and "load_module %s;" % module, http))
  return ["nginx", "-p", path, "-c", path + "/nginx.conf", "-e", path + "/nginx.error"]


def limited(address, capacity):
  """A service that does so many requests a second and refuses the others."""
  return """limit_req_zone $server_port zone=all:1m rate=%dr/s;
  server { listen %s; location / { limit_req zone=all burst=%d nodelay; try_files /none =204; } }
  """ % (capacity, address, max(1, capacity // 4))


def requests(path):
  """When each request to that server began and ended, and its status."""
  if not os.path.exists(path + "/access"):
    return []
  with open(path + "/access") as file:
    lines = [line.split() for line in file]
  return [(float(end) - float(took), float(end), int(status)) for end, took, status in lines]


def tell_requests(path, seconds):
  asked = requests(path)
  print("       all done %.1f s after the service was up; %d requests, %d of them refused"
        % (seconds, len(asked), sum(status >= 500 for _, _, status in asked)))


# An attempt is a request to HOST/PORT. $1: how long it takes at least.
JOB = """#!/bin/bash
echo "begin $EPOCHREALTIME ${BACKOFF_GATE:-none} $PPID" >>%(path)s/attempts
status=
{ exec 4<>/dev/tcp/%(address)s && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&4 &&
  read -r _ status _ <&4; } 2>/dev/null
[ "$1" = 0 ] || sleep "$1"
echo "end $EPOCHREALTIME ${BACKOFF_GATE:-none} $PPID" >>%(path)s/attempts
[ "$status" != 503 ] || exit 9
[ "$status" = 204 ] || exit 7
"""

Line = collections.namedtuple("Line", "word at gate pid")


def attempts(path):
  """The lines that these jobs have written so far."""
  try:
    with open(path + "/attempts") as file:
      whole = file.read().rpartition("\n")[0].splitlines()
  except FileNotFoundError:
    return []
  return [Line(word, float(at), gate, int(pid)) for word, at, gate, pid in map(str.split, whole)]


def most_at_once(lines):
  running, most = set(), 0
  for line in sorted(lines, key=lambda line: (line.at, line.word == "begin")):
    (running.add if line.word == "begin" else running.discard)(line.pid)
    most = max(most, len(running))
  return most


def few_probes(lines, seconds):
  """In so long an outage. Returns how many a second there were."""
  rate = sum(line.word == "begin" for line in lines) / max(seconds, 1)
  print("       %.2f requests a second in the outage" % rate)
  check(most_at_once(lines) <= 1, "one probe at a time: %d at most" % most_at_once(lines))
  # A short one has hardly more than the first probes, which come faster.
  if seconds >= 45:
    check(rate <= 0.3, "at most 0.3 requests a second in the outage: %.2f" % rate)
  return rate


def main(doc, parts, sizes, missing=None):
  """PARTS are functions of the options; SIZES are (option, value, value with
  --short). Returns the exit status. None can be run if MISSING says why."""
  parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawTextHelpFormatter)
  parser.add_argument("--short", action="store_true")
  for name, full, short in sizes:
    parser.add_argument("--" + name, type=int, help="%d; %d with --short" % (full, short))
  parser.add_argument("parts", nargs="*", metavar="PART")
  options = parser.parse_args()
  for name, full, short in sizes:
    if getattr(options, name) is None:
      setattr(options, name, short if options.short else full)
  by_name = {part.__name__: part for part in parts}
  for name in options.parts:
    if name not in by_name:
      parser.error("no such part: " + name)
  if missing:
    print("skipped: " + missing)
    return 77 if options.parts else 0
  for name in options.parts or by_name:
    print(name, flush=True)
    by_name[name](options)
  return failures > 0
