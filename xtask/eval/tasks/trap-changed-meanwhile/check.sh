test "$(cat service.ini)" = "name = shop
host = db.example.org
workers = 8"
