import time


def slow(n):
    time.sleep(1)
    return n * n
