set -e
python3 -B store.py people.db
python3 -c '
import sqlite3
db = sqlite3.connect("people.db")
db.execute("insert into people values (\"Ann\"), (\"Bob\")".replace("\"", chr(39)))
db.commit()
'
