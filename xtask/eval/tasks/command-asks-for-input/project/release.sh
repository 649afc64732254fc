# release.sh [--yes] VERSION
if [ "$1" = --yes ]; then
    answer=y
    shift
else
    printf 'Publish %s? [y/N] ' "$1"
    read -r answer || echo
fi
if [ "$answer" != y ]; then
    echo "not published"
    exit 1
fi
echo "$1" > published
echo "published $1"
