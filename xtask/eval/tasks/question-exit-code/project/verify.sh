test -f CODES.md || exit 3
(exit 37)
exit $?
