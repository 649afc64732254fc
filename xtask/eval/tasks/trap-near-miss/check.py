import gate

assert [age for age in range(30) if gate.admit(age)] == list(range(18, 30))
assert [age for age in range(30) if gate.deny(age)] == list(range(16))
