# SPDX-License-Identifier: MIT
"""Machines that share nothing but a net: each has a network namespace, a
state directory and a boot id of its own. A hub, which is one more namespace
with a bridge in it, has the servers. Needs root and iproute2."""

import ctypes
import os
import shutil
import subprocess
import tempfile
import time
import uuid

from parts import default_signals, limited, nginx

HUB = "10.77.0.1"
CLONE_NEWNS, CLONE_NEWNET = 0x20000, 0x40000000
libc = ctypes.CDLL(None, use_errno=True)


def ip(*words):
  subprocess.run(["ip", *words], check=True, stdin=subprocess.DEVNULL)


def wait_until(condition, *arguments):
  """Polls, for what no event announces."""
  while True:
    found = condition(*arguments)
    if found:
      return found
    time.sleep(0.02)


def enter(spaces):
  for descriptor, kind in spaces:
    if libc.setns(descriptor, kind) != 0:
      os._exit(126)


class Space:
  """A namespace of the net, and one of mounts, which a process keeps."""

  def __init__(self, name, path, mounts="true"):
    self.name, self.path = name, path
    os.mkdir(path)
    ip("netns", "add", name)
    self.keeper = subprocess.Popen(
      ["ip", "netns", "exec", name, "sh", "-ec", mounts + "\necho; exec cat"], cwd=path,
      stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    if self.keeper.stdout.read(1) != b"\n":
      raise SystemExit("no mounts in " + name)
    where = "/proc/%d/ns/" % self.keeper.pid
    self.spaces = [(os.open(where + "net", os.O_RDONLY), CLONE_NEWNET),
                   (os.open(where + "mnt", os.O_RDONLY), CLONE_NEWNS)]

  def popen(self, words, **settings):
    def prepare():
      default_signals()
      enter(self.spaces)
      os.chdir(self.path)
    for stream in "stdin", "stdout", "stderr":
      settings.setdefault(stream, subprocess.DEVNULL)
    return subprocess.Popen(words, preexec_fn=prepare, **settings)

  def close(self):
    for descriptor, _ in self.spaces:
      os.close(descriptor)
    self.keeper.communicate()
    ip("netns", "del", self.name)


class Machine(Space):
  """Its boot id is its own, as the kernel would have it."""

  def __init__(self, hub, number):
    path = "%s/m%d" % (hub.place, number)
    super().__init__("%s-%d" % (hub.name, number), path,
                     "echo %s >boot_id; mount --bind boot_id /proc/sys/kernel/random/boot_id"
                     % uuid.uuid4())
    os.mkdir(path + "/state", 0o700)
    self.hub, self.number, self.running = hub, number, set()
    self.port = "p%d" % number
    ip("link", "add", "eth0", "netns", self.name, "type", "veth",
       "peer", "name", self.port, "netns", hub.name)
    ip("-n", hub.name, "link", "set", self.port, "master", "br0", "up")
    ip("-n", self.name, "link", "set", "lo", "up")
    ip("-n", self.name, "addr", "add", "10.77.%d.%d/16" % (1 + number // 250, 1 + number % 250),
       "dev", "eth0")
    ip("-n", self.name, "link", "set", "eth0", "up")

  def start(self, backoff, *arguments, **variables):
    """The program, with what its environment has on top."""
    env = dict(os.environ, BACKOFF_STATE_DIR=self.path + "/state",
               BACKOFF_FLEET="redis://%s:6379" % HUB, **variables)
    process = self.popen([backoff, *arguments], env=env)
    self.running.add(process)
    return process

  def plug(self, plugged):
    ip("-n", self.hub.name, "link", "set", self.port, "up" if plugged else "down")

  def close(self):
    for process in self.running:
      if process.poll() is None:
        process.kill()
        process.wait()
    super().close()


class Hub(Space):
  """Where the machines meet, with a Redis server and the service."""

  def __init__(self, machines):
    self.place = tempfile.mkdtemp(prefix="backoff-fleet.")
    super().__init__("bf%d" % os.getpid(), self.place + "/hub")
    ip("-n", self.name, "link", "set", "lo", "up")
    ip("-n", self.name, "link", "add", "br0", "type", "bridge")
    ip("-n", self.name, "addr", "add", HUB + "/16", "dev", "br0")
    ip("-n", self.name, "link", "set", "br0", "up")
    self.redis = self.nginx = None
    self.machines = [Machine(self, number) for number in range(machines)]

  def redis_start(self, host=HUB, *options):
    server = self.popen(["redis-server", "--bind", host, "--save", "", "--appendonly", "no",
                         "--protected-mode", "no", "--logfile", "redis.log", *options])
    wait_until(lambda: self.cli("ping", host=host) == "PONG")
    if host == HUB:
      self.redis = server
    return server

  def cli(self, *words, host=HUB):
    process = self.popen(["redis-cli", "-h", host, *words], stdout=subprocess.PIPE)
    return process.communicate()[0].decode().strip()

  def redis_fail_over(self):
    """A replica with the same data takes the address of one that is killed."""
    replica = self.redis_start("127.0.0.1", "--replicaof", HUB, "6379")
    wait_until(lambda: "master_link_status:up" in self.cli("info", "replication", host="127.0.0.1"))
    self.redis_kill()
    self.cli("replicaof", "no", "one", host="127.0.0.1")
    self.cli("config", "set", "bind", HUB, host="127.0.0.1")
    wait_until(lambda: self.cli("ping") == "PONG")
    self.redis = replica

  def redis_kill(self):
    """It forgets all."""
    self.redis.kill()
    self.redis.wait()

  def commands(self):
    """How many it has run so far, by name; ours to ask not counted."""
    counts = {}
    for line in self.cli("info", "commandstats").splitlines():
      if line.startswith("cmdstat_"):
        name, _, rest = line[8:].partition(":calls=")
        counts[name] = int(rest.split(",")[0])
    return {name: count for name, count in counts.items() if name not in ("info", "ping")}

  def service(self, capacity):
    self.nginx = self.popen(nginx(self.path, limited(HUB + ":80", capacity)))

  def close(self):
    for machine in self.machines:
      machine.close()
    for process in self.redis, self.nginx:
      if process is not None and process.poll() is None:
        process.terminate()
        process.wait()
    super().close()
    shutil.rmtree(self.place)


def missing():
  """Why there can be no machines here, or None."""
  if os.getuid() != 0:
    return "not root"
  for tool in "ip", "redis-server", "redis-cli", "nginx":
    if not shutil.which(tool):
      return "no " + tool
  name = "bf%d-try" % os.getpid()
  if subprocess.run(["ip", "netns", "add", name], stderr=subprocess.DEVNULL).returncode != 0:
    return "no network namespaces here"
  ip("netns", "del", name)
  return None
