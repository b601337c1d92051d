#!/usr/bin/env bash
# The same command gives the same bytes.
source "$(dirname "$0")/checks.bash"

same() {
  cmp -s "$1" "$2" || fail "$3: the bytes differ"
  ok "$3: the same bytes"
}

export XDG_CACHE_HOME=$work/cache
"$tintype" "${quick[@]}" -o first.png
"$tintype" "${quick[@]}" -o again.png
same first.png again.png "twice"
"$tintype" "${quick[@]}" --threads 1 -o one.png
"$tintype" "${quick[@]}" --threads 2 -o two.png
same first.png one.png "with one thread"
same first.png two.png "with two threads"
rm -rf "$XDG_CACHE_HOME"
"$tintype" "${quick[@]}" -o uncached.png
same first.png uncached.png "after deleting caches"
"$tintype" "${quick[@]}" --load read -o read.png
same first.png read.png "with files read instead of mapped"
"$tintype" "${quick[@]}" -o - > piped.png
same first.png piped.png "on standard output"

"$tintype" generate --from first.png --quiet -o repeated.png
same first.png repeated.png "--from"
"$tintype" generate -p "a moon" --negative "a star" --cfg 2 --sampler heun --scheduler karras \
  --shift mu=0.5 --rng nv --seed 5 --steps 2 --width 72 --height 120 --compute f32 --isa avx2 \
  --act weight-only --quiet -o options.png
"$tintype" generate --from options.png --quiet -o repeated.png --force
same options.png repeated.png "--from, with every option"
"$tintype" generate --from first.png --seed 2 --quiet -o other.png
! cmp -s first.png other.png || fail "--from with another seed gives the same bytes"
ok "--from with another seed"

"$tintype" generate -p "a red star" --seed 1 --steps 2 --count 2 --quiet -o several.png
same first.png several-1.png "--count, the first"
"$tintype" generate -p "a red star" --seed 2 --steps 2 --quiet -o second.png
same second.png several-2.png "--count, the second"

"$tintype" "${quick[@]}" -o first.png
same first.png first-2.png "an existing file stays, the next free name is taken"
printf 'a red star\n' > prompt.txt
"$tintype" generate -p @prompt.txt --seed 1 --steps 2 --quiet -o file.png
same first.png file.png "a prompt in a file"
"$tintype" generate -p - --seed 1 --steps 2 --quiet -o stdin.png < prompt.txt
same first.png stdin.png "a prompt on standard input"

"$tintype" generate -p "a red star" --steps 2 --json > lines
seed=$(sed -n 's/.*"event":"picture".*"seed":\([0-9]*\),.*/\1/p' lines)
[ -s "tintype-$seed.png" ] || fail "a drawn seed is not told"
"$tintype" generate -p "a red star" --seed "$seed" --steps 2 --quiet -o drawn.png
same drawn.png "tintype-$seed.png" "with a seed that was drawn"
