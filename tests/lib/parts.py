# SPDX-License-Identifier: MIT
"""Programs that show one thing after the other with real processes, and print
what they measured: tests/memory, tests/load and tests/fleet."""

import argparse
import os
import shutil
import signal
import subprocess
import tempfile

from processes import stat_fields

failures = 0


def check(good, what):
  global failures
  print("%s %s" % ("ok    " if good else "FAILED", what), flush=True)
  failures += not good


def default_signals():
  for number in signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM:
    signal.signal(number, signal.SIG_DFL)


class Place:
  """A directory, and what was started there, which ends with it."""

  def __init__(self):
    self.path = tempfile.mkdtemp(prefix="backoff-")
    self.running = set()

  def popen(self, words, env, stdin=subprocess.DEVNULL):
    process = subprocess.Popen(words, cwd=self.path, env=env, stdin=stdin,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               preexec_fn=default_signals)
    self.running.add(process)
    return process

  def script(self, name, text):
    with open(self.path + "/" + name, "w") as file:
      file.write(text)
    os.chmod(file.name, 0o755)

  def __enter__(self):
    return self

  def __exit__(self, *_):
    for process in self.running:
      if process.poll() is None:
        process.kill()
        process.wait()
    shutil.rmtree(self.path)


def activity(pid):
  """Its use of the processor, and how often it was let run."""
  times = stat_fields(pid)[11:13]
  with open("/proc/%d/status" % pid) as file:
    return times + [line.split()[1] for line in file if "switches" in line]


def nginx(path, address, capacity):
  """The command of a server in that directory, which serves so many requests a
  second and refuses the others."""
  with open(path + "/nginx.conf", "w") as file:
    file.write(
      "daemon off; pid nginx.pid; error_log nginx.error;\n"
      "events { worker_connections 512; }\n"
      "http { log_format brief '$msec $status'; access_log access brief;\n"
      "client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3;\n"
      "uwsgi_temp_path t4; scgi_temp_path t5;\n"
      "limit_req_zone $server_port zone=all:1m rate=%dr/s;\n"
      "server { listen %s; location / {\n"
      "limit_req zone=all burst=%d nodelay; try_files /none =204; } } }\n"
      % (capacity, address, max(1, capacity // 4)))
  return ["nginx", "-p", path, "-c", path + "/nginx.conf", "-e", path + "/nginx.error"]


def requests(path):
  """When each came to that server, and how many it refused."""
  if not os.path.exists(path + "/access"):
    return [], 0
  with open(path + "/access") as file:
    lines = [line.split() for line in file]
  return [float(at) for at, _ in lines], sum(status[0] == "5" for _, status in lines)


def main(doc, parts, sizes):
  """PARTS are functions of the options; SIZES are (option, value, value with
  --short). Returns the exit status."""
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
  for name in options.parts or by_name:
    print(name, flush=True)
    by_name[name](options)
  return failures > 0
