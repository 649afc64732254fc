set -e
test "$(python3 -B report.py data)" = "lines: 3
longest: 4
sum: 12"
printf '' > empty
test "$(python3 -B report.py empty | tail -1)" = "sum: 0"
