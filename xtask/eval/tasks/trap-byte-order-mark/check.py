with open("people.csv", "rb") as file:
    found = file.read()
assert found == b"\xef\xbb\xbffull_name,town\nAnn,K\xc3\xb6ln\n", found
