set -e
test "$(python3 -B pipeline.py ' B a ')" = a,b
python3 -B -c '
import pipeline
assert [step.__name__ for step in pipeline.STEPS] == ["lower", "split", "order", "join"]
pipeline.STEPS.pop()
assert pipeline.run("b A") == ["a", "b"]
'
! grep -q 'join(order' pipeline.py || exit 1
