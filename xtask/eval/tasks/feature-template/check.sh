set -e
test "$(sh test.sh)" = same
python3 -B render.py Tools hammer | grep -q '<h1>Tools (1)</h1>'
grep -q '<h1>Fruit (3)</h1>' expected.html
