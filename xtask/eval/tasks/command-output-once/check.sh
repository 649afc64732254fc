set -e
test "$(wc -l < drawn)" = 1
number=$(python3 -c 'import random; r = random.Random(int(open("drawn").read())); print([r.randrange(10**9) for _ in range(40000)][19999])')
grep -qw "$number" "$EVAL_ANSWER"
