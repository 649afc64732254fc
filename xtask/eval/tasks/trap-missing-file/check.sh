set -e
grep -qw teal "$EVAL_ANSWER"
grep -q ui/themes/theme.py "$EVAL_ANSWER"
diff -r "$EVAL_TASK/project" .
