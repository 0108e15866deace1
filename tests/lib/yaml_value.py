# SPDX-License-Identifier: MIT
"""A value of a YAML file.

  yaml_value.py FILE [KEY]...

KEY is a name, or a number in a list; without one, it is the whole. A string
is printed as it is, of a list one element a line, all else as JSON. A key
that stands twice, and one that is missing, is an error.
"""

import json
import sys

import yaml


class Loader(yaml.SafeLoader):
  def construct_mapping(self, node, deep=False):
    keys = [key.value for key, _ in node.value]
    twice = {key for key in keys if keys.count(key) > 1}
    if twice:
      sys.exit("yaml_value: twice: %s" % ", ".join(twice))
    return super().construct_mapping(node, deep)


# What the services read: "on" is a word and no truth.
Loader.yaml_implicit_resolvers = {
  first: [(tag, regex) for tag, regex in resolvers
          if tag != "tag:yaml.org,2002:bool" or first not in "oOyYnN"]
  for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}


def show(value):
  print(value if isinstance(value, str) else json.dumps(value))


def main():
  path, *keys = sys.argv[1:]
  with open(path, encoding="utf-8") as file:
    value = yaml.load(file, Loader=Loader)
  for key in keys:
    value = value[int(key) if isinstance(value, list) else key]
  for each in value if isinstance(value, list) else [value]:
    show(each)


if __name__ == "__main__":
  main()
