from users import fetch_usr


def title(id):
    user = fetch_usr(id)
    return f"{user['name']} <{user['mail']}>"  # see fetch_usr
