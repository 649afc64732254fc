from slug import slug

assert slug("Größe & Maß") == "groesse-mass"
assert slug("ÄÖÜ über") == "aeoeue-ueber"
with open("slug.py", encoding="utf-8") as file:
    assert "© Käthe Müller" in file.read()
