import sqlite3
import subprocess
import sys

db = sqlite3.connect("people.db")
assert db.execute("pragma user_version").fetchone() == (2,)
assert db.execute("select name, email from people order by name").fetchall() == [("Ann", ""), ("Bob", "")]
subprocess.run([sys.executable, "-B", "store.py", "fresh.db"], check=True)
fresh = sqlite3.connect("fresh.db")
assert [row[1] for row in fresh.execute("pragma table_info(people)")] == ["name", "email"]
