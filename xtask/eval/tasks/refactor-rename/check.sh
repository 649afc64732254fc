set -e
! grep -rn fetch_usr . || exit 1
test "$(grep -rc fetch_user --include='*' . | awk -F: '{n += $2} END {print n}')" = 10
python3 -B -m unittest
