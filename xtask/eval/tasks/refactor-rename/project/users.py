USERS = {1: {"name": "Ann", "mail": "ann@example.org"}}


def fetch_usr(id):
    return USERS[id]
