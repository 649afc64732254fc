import sqlite3
import sys

# One statement a version. Those that have run are never changed.
MIGRATIONS = [
    "create table people (name text not null)",
]


def upgrade(path):
    db = sqlite3.connect(path)
    (version,) = db.execute("pragma user_version").fetchone()
    for statement in MIGRATIONS[version:]:
        db.execute(statement)
        version += 1
        db.execute(f"pragma user_version = {version}")
    db.commit()
    return version


if __name__ == "__main__":
    print("version", upgrade(sys.argv[1]))
