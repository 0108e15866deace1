#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""shared_record.py FILE [KEY=NUMBER]...: changes the record of runs, prints it.

The keys are version, size and boot of the header, and failures, until, window
(nanoseconds), status, runs and since of the deferral; state, longest
(nanoseconds), probes, due, synced, rate and limit (millionths a second) are of
the gate; next and head of the slots are only read. Checksums are set right. A
missing file is made. `until=+N` and `until=-N` are N seconds from now, and so it
is with due and synced.
"""

import os
import struct
import sys
import time
import zlib

SIZE = 1024
HEADER = ("version", 8, "<H"), ("size", 10, "<H"), ("boot", 12, "<Q")
DEFERRAL = (
    ("since", 512, "<q"),
    ("failures", 520, "<I"),
    ("until", 524, "<q"),
    ("window", 532, "<q"),
    ("status", 540, "<B"),
    ("runs", 613, "<I"),
)
GATE = (
    ("state", 64, "<B"),
    ("longest", 111, "<q"),
    ("probes", 143, "<I"),
    ("due", 147, "<q"),
    ("synced", 273, "<q"),
    ("rate", 281, "<I"),
    ("limit", 285, "<I"),
)
SLOTS = ("next", 640, "<q"), ("head", 648, "<q")
FIELDS = {name: (at, form) for name, at, form in HEADER + DEFERRAL + GATE + SLOTS}
CHECKSUMS = (0, 20), (512, 636)
GATE_CHECKSUM = 64, 508


def fresh():
    record = bytearray(SIZE)
    record[:8] = b"backoff\n"
    struct.pack_into("<HHQ", record, 8, 3, SIZE, 1)
    return record


def number(key, value):
    if key in ("until", "since") and value[0] in "+-":
        return time.time_ns() + int(value) * 10**9
    if key in ("due", "synced") and value[0] in "+-":
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME) + int(value) * 10**9
    return int(value)


def main(path, *changes):
    record = fresh()
    if os.path.exists(path):
        with open(path, "rb") as file:
            record = bytearray(file.read(SIZE))
    for change in changes:
        key, value = change.split("=")
        at, form = FIELDS[key]
        struct.pack_into(form, record, at, number(key, value))
    if changes:
        is_gate = {change.split("=")[0] for change in changes} & {name for name, *_ in GATE}
        for low, high in (*CHECKSUMS, *[GATE_CHECKSUM][:len(is_gate)]):
            crc = zlib.crc32(record[low:high])
            struct.pack_into("<I", record, high, crc)
        with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "wb") as file:
            file.write(record)
    for name, (at, form) in FIELDS.items():
        print(f"{name}={struct.unpack_from(form, record, at)[0]}")
    reason = record[541:605].split(b"\0")[0].decode()
    print(f"reason={reason}")
    for low, high in CHECKSUMS:
        (crc,) = struct.unpack_from("<I", record, high)
        is_unused = not any(record[low:high])
        assert is_unused or crc == zlib.crc32(record[low:high]), f"checksum at {high}"


if __name__ == "__main__":
    main(*sys.argv[1:])
