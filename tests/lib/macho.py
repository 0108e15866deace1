# SPDX-License-Identifier: MIT
"""The undefined symbols of a Mach-O file, and who has them.

  macho.py FILE LIBRARY.tbd...
  macho.py --version FILE

Prints a line for each: the library from which it is to be bound, as FILE says,
and the symbol. It fails if FILE is bound to another library than the LIBRARYs,
or if that LIBRARY has no such symbol for the processor of FILE; the symbols of
an object file, which names no libraries, may be anybody's. A .tbd file is the
list of what a dynamic library of macOS exports; several may be in one, then
they are the parts of the first.
With --version it prints which is the oldest version of macOS that FILE is for.
"""

import re
import struct
import sys

CPUS = {0x01000007: "x86_64", 0x0100000c: "arm64"}
OBJECT = 1
TWO_LEVELS = 0x80
LOAD_SYMBOLS = 0x2
LOAD_VERSION = 0x32
LOAD_LIBRARY = {0xc, 0x80000018, 0x8000001f, 0x80000023}
# Of the type of a symbol: of a debugger, any kind, defined outside, undefined.
DEBUGGER, KIND, EXTERNAL, UNDEFINED = 0xe0, 0x0e, 0x01, 0x00


def text_at(data, offset):
  return data[offset:data.index(b"\0", offset)].decode()


class Program:
  """Its cpu and version, the names of its libraries, and of each undefined
  symbol the name of the library that has to have it; None if it names none."""

  def __init__(self, data):
    magic, cpu, _, kind, count, _, flags, _ = struct.unpack_from("<8I", data)
    if magic != 0xfeedfacf:
      sys.exit("not a 64-bit Mach-O file")
    self.cpu = CPUS[cpu]
    self.libraries = []
    self.undefined = []
    self.is_object = kind == OBJECT
    offset, tables = 32, []
    for _ in range(count):
      command, size = struct.unpack_from("<2I", data, offset)
      if command in LOAD_LIBRARY:
        name, = struct.unpack_from("<I", data, offset + 8)
        self.libraries.append(text_at(data, offset + name))
      elif command == LOAD_SYMBOLS:
        tables.append(struct.unpack_from("<4I", data, offset + 8))
      elif command == LOAD_VERSION:
        self.version = struct.unpack_from("<I", data, offset + 12)[0] >> 16
      offset += size
    if not self.is_object and not flags & TWO_LEVELS:
      sys.exit("its symbols may be of any library")
    for symbols, count, strings, _ in tables:
      for i in range(count):
        name, kind, _, about, _ = struct.unpack_from("<IBBHQ", data,
                                                     symbols + 16 * i)
        if (kind & DEBUGGER == 0 and kind & KIND == UNDEFINED
            and kind & EXTERNAL):
          self.undefined.append((text_at(data, strings + name),
                                 self.library(about >> 8)))

  def library(self, ordinal):
    if self.is_object:
      return None
    if 1 <= ordinal <= len(self.libraries):
      return self.libraries[ordinal - 1]
    return "ordinal %d" % ordinal


def words(text):
  return {word.strip(" '\"\n") for word in text.split(",")}


def read_library(path, cpu):
  """The name of the library, and the symbols that it has for CPU."""
  with open(path) as file:
    text = file.read()
  name = re.search(r"^install-name:\s*'?([^'\n]*)", text, re.M).group(1)
  symbols = set()
  for targets, lists in re.findall(
      r"targets:\s*\[([^]]*)\]((?:\s*[a-z-]+:\s*\[[^]]*\])+)", text):
    if cpu + "-macos" in words(targets):
      for listed in re.findall(r"(?:weak-)?symbols:\s*\[([^]]*)\]", lists):
        symbols |= words(listed)
  return name, symbols


def read_program(path):
  with open(path, "rb") as file:
    return Program(file.read())


def main(path, *libraries):
  program = read_program(path)
  known = dict(read_library(library, program.cpu) for library in libraries)
  faults = ["%s: of a library that is not to be needed" % name
            for name in program.libraries if name not in known]
  for symbol, library in sorted(program.undefined):
    print(library or "-", symbol)
    candidates = known.values() if library is None else [known.get(library, ())]
    if not any(symbol in symbols for symbols in candidates):
      faults.append("%s: not in %s" % (symbol, library or "any library"))
  if not program.undefined:
    faults.append("no undefined symbol at all")
  for fault in faults:
    print("%s: %s" % (path, fault), file=sys.stderr)
  return len(faults) > 0


if __name__ == "__main__":
  if len(sys.argv) < 3:
    sys.exit(__doc__)
  if sys.argv[1] == "--version":
    print(read_program(sys.argv[2]).version)
    sys.exit()
  sys.exit(main(*sys.argv[1:]))
