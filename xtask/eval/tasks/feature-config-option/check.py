import client
import settings

assert settings.load("app.ini") == {"timeout": 2.5, "retries": 5}


def load(text):
    with open("other.ini", "w") as file:
        file.write("[client]\n" + text)
    return settings.load("other.ini")


assert load("")["retries"] == 3
assert load("retries = 0\n")["retries"] == 0
for wrong in ("-1", "11", "many"):
    try:
        load(f"retries = {wrong}\n")
    except ValueError:
        continue
    raise AssertionError(wrong)

calls = []


def fail():
    calls.append(1)
    raise OSError


try:
    client.fetch(fail, load("retries = 2\n"))
except OSError:
    pass
assert len(calls) == 3, calls
