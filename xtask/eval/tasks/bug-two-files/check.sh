set -e
test "$(python3 -B -m shop)" = "total: 2.97"
python3 -B -c '
from shop.order import Order
from shop.price import cents
assert cents("1.10") == 110 and cents("19.99") == 1999 and cents("0.29") == 29
assert Order([("a", "19.99", 1)], 0).total() == 1999
assert Order([("a", "1.10", 3)], 10).total() == 297
'
