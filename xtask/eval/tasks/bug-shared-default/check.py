from notes import note

mine = ["x"]
assert note("a b")["tags"] == ["a"]
assert note("c d")["tags"] == ["c"]
assert note("e", mine)["tags"] == ["x", "e"]
assert mine == ["x"], "the caller's list was changed"
