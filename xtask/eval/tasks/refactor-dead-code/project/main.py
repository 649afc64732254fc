import importlib

from tools import used

with open("plugins.txt") as file:
    for name in file.read().split():
        print(importlib.import_module(name).paint(used("x")))
