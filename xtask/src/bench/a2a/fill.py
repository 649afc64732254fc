"""Fills a log's list of tasks. Usage: fill.py DATABASE COUNT. Whose they are is copied from the newest task that is there."""

import os
import sqlite3
import sys

database, count = sys.argv[1], int(sys.argv[2])
connection = sqlite3.connect(database)
connection.execute("PRAGMA synchronous = OFF")
session, owner, newest = connection.execute(
    "SELECT session, owner, since FROM standing ORDER BY since DESC LIMIT 1"
).fetchone()
# Out of a hundred: submitted, working, asking, then tasks that rest, then tasks that are closed.
MARKS = [0] + [1] + [2] + [3] * 5 + [4] * 2 + [5] * 2 + [6] * 60 + [7] * 20 + [8] * 8


def rows():
    for number in range(count):
        # Every tenth task has one label; the others share theirs with nine more.
        context = "large" if number % 10 == 0 else f"small-{number // 10}"
        mark = MARKS[number * 37 % len(MARKS)]
        yield os.urandom(16), session, owner, context, 1, mark, newest - count + number


with connection:
    connection.executemany(
        "INSERT INTO standing (task, session, owner, context, once, mark, since) VALUES (?, ?, ?, ?, ?, ?, ?)", rows()
    )
print(newest)
