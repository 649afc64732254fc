set -e
python3 -B -m unittest
python3 -B -c '
from pager import page, page_count
items = list(range(7))
assert [page(items, n, 3) for n in (1, 2, 3)] == [[0, 1, 2], [3, 4, 5], [6]]
assert [page_count(items[:n], 3) for n in (0, 1, 3, 4)] == [0, 1, 1, 2]
'
