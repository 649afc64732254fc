#!/bin/sh
# Fuzz one target for so many seconds: sh fuzz/run.sh commands 600
# The flags are those that coverage-guided fuzzing needs; stable Rust and a C++ compiler are enough.
set -eu
target=${1:?the name of a file in fuzz/targets}
seconds=${2:-60}
cd "$(dirname "$0")"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-../target/fuzz}"
export RUSTFLAGS="--cfg fuzzing -Ccodegen-units=1 -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares"
host=$(rustc -vV | sed -n 's/^host: //p')
# With a target triple the flags do not reach build scripts, which have no coverage runtime to link.
case $target in
requests | events) feature=wire ;;
paths | settings) feature=cli ;;
*) feature=policy ;;
esac
cargo build --release --target "$host" --bin "$target" --features "$feature"

found=$CARGO_TARGET_DIR/$target
mkdir -p "$found" "$found-seeds"
case $target in
requests | events)
  # The seeds are the shapes of the golden tests and the corpus.
  corpus=../crates/wire/tests/fuzz/corpus
  words=words.dict
  longest=16384
  awk -v to="$found-seeds/golden-" '
    /r#"$/ { file = to (++count) ".json"; reading = 1; next }
    reading && /"#/ { sub(/"#.*/, ""); print > file; close(file); reading = 0; next }
    reading { print > file }
  ' ../crates/wire/tests/golden/*.rs
  ;;
*)
  corpus=corpus/$target
  words=$target.dict
  if [ ! -f "$words" ]; then
    # The fuzzer sees no comparison of texts: it has to be told what the rules know.
    words=$found.dict
    options=$(grep -ohE -e '--?[A-Za-z][A-Za-z0-9-]*=?' ../crates/policy/src/programs.toml ../crates/policy/src/built_in.toml)
    { cat shell.dict; printf '"%s"\n' $options | sort -u; } > "$words"
  fi
  longest=2048
  ;;
esac

# An input that fails is written beside them; keep it as a file in the corpus.
"$CARGO_TARGET_DIR/$host/release/$target" "$found" "$found-seeds" "$corpus" \
  -max_total_time="$seconds" -max_len="$longest" -dict="$words" -artifact_prefix="$found-" -timeout=10 -rss_limit_mb=2048 \
  -print_final_stats=1 -verbosity=0
