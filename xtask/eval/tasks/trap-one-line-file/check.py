import json

with open("bundle.json") as file:
    text = file.read()
found = json.loads(text)
assert found.pop("timeout_4711") == 45
assert len(found) == 24999 and all(value == int(key[8:]) % 97 for key, value in found.items())
assert "\n" not in text
