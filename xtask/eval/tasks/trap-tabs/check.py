import jobs

queue = jobs.Queue()
assert queue.take() is None
queue.put(1)
queue.put(2)
assert [queue.take(), queue.take(), queue.take()] == [1, 2, None]
with open("jobs.py") as file:
    lines = file.read().splitlines()
assert not [line for line in lines if line.startswith(" ")], "blanks in a file of tabs"
