from users import fetch_usr


def address(id):
    return fetch_usr(id)["mail"]
