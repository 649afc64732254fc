def deny(age):
    return age < 16


def admit(age):
    return age >= 16
