# SPDX-License-Identifier: MIT
"""What make check has said, in short: for builds in which some tests may fail."""

import re


def told(said):
  """The totals of all results. Prints what fails."""
  for line in re.findall(r"^(?:FAIL|ERROR): (.*)", said, re.MULTILINE):
    print(f"fails in this build: {line}")
  return ", ".join(f"{what.lower()} {count}" for what, count in re.findall(
    r"^# (TOTAL|PASS|SKIP|FAIL|ERROR): +(\d+)$", said, re.MULTILINE))
