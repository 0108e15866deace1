# SPDX-License-Identifier: MIT
"""Words of a command line. To load argparse takes as long as all else that these scripts do."""

import sys


def split(words, **options):
  """The options that words begin with, over these defaults, and what follows them; False is a flag."""
  words = list(words)
  while words and words[0].startswith("--"):
    option, _, value = words.pop(0).partition("=")
    name = option[2:].replace("-", "_")
    if not name:
      break
    if name not in options:
      sys.exit("%s: no such option: %s" % (sys.argv[0], option))
    options[name] = options[name] is False or value or words.pop(0)
  return options, words
