import importlib
import sys

with open(sys.argv[1]) as file:
    lines = file.read().splitlines()
for name in ("lines", "longest", "sum"):
    plugin = importlib.import_module(f"plugins.{name}")
    print(f"{name}: {plugin.measure(lines)}")
