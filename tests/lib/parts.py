# SPDX-License-Identifier: MIT
"""Programs that show one thing after the other with real processes, and print
what they measured: tests/memory and tests/load."""

import argparse

failures = 0


def check(good, what):
  global failures
  print("%s %s" % ("ok    " if good else "FAILED", what), flush=True)
  failures += not good


def activity(pid):
  """Its use of the processor, and how often it was let run."""
  with open("/proc/%d/stat" % pid) as file:
    times = file.read().rpartition(")")[2].split()[11:13]
  with open("/proc/%d/status" % pid) as file:
    return times + [line.split()[1] for line in file if "switches" in line]


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
