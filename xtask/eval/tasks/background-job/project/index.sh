for part in 1 2 3; do
    echo "part $part"
    sleep 0.4
done
seq 1 311 | sed 's/$/ word/' > index
echo "ready: $(wc -l < index | tr -d ' ') words"
