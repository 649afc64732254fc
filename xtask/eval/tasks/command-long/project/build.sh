cd "$(dirname "$0")" || exit 1
for step in 1 2 3 4 5 6; do
    echo "step $step of 6"
    sleep 0.25
done
for part in axle hub wheel; do
    if [ ! -f "parts/$part" ]; then
        echo "missing: $part" >&2
        exit 1
    fi
done
cat parts/axle parts/hub parts/wheel | tr '\n' ' ' | sed 's/ $//' > built
echo "build passed"
