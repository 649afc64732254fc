set -e
a=$(sed 's/number //' parts/a)
b=$(sed 's/number //' parts/b)
c=$(sed 's/number //' parts/c)
grep -q "begin with $a, $b, $c\." "$EVAL_ANSWER"
