#!/usr/bin/env bash
# Wrong use ends with a helpful sentence and the right exit code, and leaves nothing behind.
source "$(dirname "$0")/checks.bash"

paint=("$tintype" "${quick[@]}" -o out.png)
encoders=(-m "$nano/nano_t5_q5_k_m.gguf" -m "$nano/nano_clip_l_f16.safetensors")
denoiser=(-m "$nano/nano_dit_convrot_int8.safetensors")
vae=(-m "$nano/nano_ae_f16.safetensors")

# ---- the command line ----
expect 2 'did you mean generate?' "$tintype" genrate
expect 2 'did you mean --steps?' "$tintype" generate --stepz 3
expect 2 '"abc" is not a whole number' "${paint[@]}" --steps abc
expect 2 'did you mean euler?' "${paint[@]}" --sampler eulr
expect 2 'did you mean karras?' "${paint[@]}" --scheduler karas
expect 2 'the nearest are 96 and 104' "${paint[@]}" --width 100
expect 2 'is outside 8..16384' "${paint[@]}" --width 2147483640 --height 2147483640
expect 2 'is not a number of bytes' "${paint[@]}" --budget lots
expect 2 'avx1024' "${paint[@]}" --isa avx1024
expect 2 'needs a name in .png' "$tintype" "${quick[@]}" -o out.jpg
expect 2 'needs 1 or more' "${paint[@]}" --count 0
expect 2 'did you mean attend?' "${paint[@]}" --route attent=cpu.attend
expect 2 'did you mean cpu.attend?' "${paint[@]}" --exclude cpu.attent
expect 4 'cpu.attend is excluded' "${paint[@]}" --exclude cpu.attend
expect 4 'budget' "${paint[@]}" --budget 1MB
[ ! -e out.png ] || fail "a picture was written"

# ---- files that are no weights ----
expect 2 'missing.safetensors' "${paint[@]}" -m missing.safetensors
mkdir empty
expect 2 'is a folder without' "${paint[@]}" -m empty
echo 'hello there, this is a text' > text.safetensors
expect 3 'text.safetensors' "${paint[@]}" -m text.safetensors
head -c 100000 "$nano/nano_dit_bf16.safetensors" > cut.safetensors
expect 3 'cut.safetensors' "${paint[@]}" -m cut.safetensors
head -c 100000 "$nano/nano_dit_q6_k.gguf" > cut.gguf
expect 3 'cut.gguf' "${paint[@]}" -m cut.gguf
echo '<!DOCTYPE html><html><body>Log in to download</body></html>' > page.safetensors
expect 3 'page.safetensors' "${paint[@]}" -m page.safetensors
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 123\n' 0 > lfs.safetensors
expect 3 'LFS' "${paint[@]}" -m lfs.safetensors
printf '\x80\x02}q\x00(X\x05\x00\x00\x00stateq\x01.' > model.ckpt
expect 3 'pickle' "${paint[@]}" -m model.ckpt
: > nothing.safetensors
expect 3 'nothing.safetensors' "${paint[@]}" -m nothing.safetensors
echo '{"files": ["a.gguf"], "default": {}}' > recipe.json
expect 3 '"default" is unknown' "${paint[@]}" -m recipe.json

# ---- files that do not make a model ----
expect 2 'there is no denoiser' "${paint[@]}" "${vae[@]}" "${encoders[@]}"
expect 2 'not a denoiser' "${paint[@]}" --denoiser "$nano/nano_ae_f16.safetensors"
expect 2 'there are two of flux.1' "${paint[@]}" "${denoiser[@]}" -m "$nano/nano_dit_q6_k.gguf" \
  "${encoders[@]}" "${vae[@]}"
expect 2 'name it with --vae' "${paint[@]}" "${denoiser[@]}" "${encoders[@]}"
expect 2 'name it with --t5' "${paint[@]}" "${denoiser[@]}" "${vae[@]}"

# ---- places that cannot be written ----
expect 1 'there is no such folder' "$tintype" "${quick[@]}" -o no/such/folder/out.png
expect 1 'too long' "$tintype" "${quick[@]}" -o "$(printf 'a%.0s' {1..300}).png"
expect 1 'the disk is full' "$tintype" "${quick[@]}" -o /dev/full
mkdir closed
chmod a-w closed
if [ -w closed ]; then  # root may write everywhere but here
  expect 1 'cannot be written' "$tintype" "${quick[@]}" -o /sys/out.png
else
  expect 1 'there is no permission' "$tintype" "${quick[@]}" -o closed/out.png
fi
mkdir limited
(ulimit -f 16 && cd limited &&
  expect 1 'cannot be written' "$tintype" "${quick[@]}" -o out.png > ../said 2> ../why) ||
  fail "a limit on file sizes: $(cat why)"
rm -f limited/stdout limited/stderr
[ -z "$(ls -A limited)" ] || fail "something was left behind: $(ls -A limited)"
ok "a limit on file sizes leaves nothing behind"

# ---- forward ----
expect 2 'did you mean denoiser?' "$tintype" forward denoizer x --in a --out b
expect 2 'needs a weight file' "$tintype" forward denoiser --in a --out b
expect 2 'takes no --in' "$tintype" forward noise --in a --out b
expect 2 'is not a shape' "$tintype" forward noise --shape 1,x --out b.safetensors
expect 2 'did you mean img_in?' "$tintype" forward weight "$nano/nano_dit_bf16.safetensors" \
  --layer img_on --out b.safetensors
expect 0 '' "$tintype" forward noise --seed 1 --shape 1,16,4,4 --out noise.safetensors
expect 2 'has no tensor x' "$tintype" forward denoiser "$nano/nano_dit_bf16.safetensors" \
  --in noise.safetensors --out b.safetensors
# tensors_file NAME DTYPE SHAPE BYTES: a file with one tensor of zeros, called tokens
tensors_file() {
  local header="{\"tokens\":{\"dtype\":\"$2\",\"shape\":$3,\"data_offsets\":[0,$4]}}"
  while [ $((${#header} % 8)) -ne 0 ]; do header+=" "; done
  printf "\\x$(printf %02x ${#header})\\0\\0\\0\\0\\0\\0\\0%s" "$header" > "$1"
  head -c "$4" /dev/zero >> "$1"
}
tensors_file long.safetensors I32 "[1,78]" 312
tensors_file flat.safetensors I32 "[77]" 308
tensors_file floats.safetensors F32 "[1,77]" 308
expect 0 '' "$tintype" forward text-encoder "$nano/nano_clip_l_f16.safetensors" --text "a star" \
  --out tokens.safetensors
expect 2 'there is no text' "$tintype" forward text-encoder "$nano/nano_ae_f16.safetensors" \
  --in tokens.safetensors --out b.safetensors
expect 2 'choose one with text-encoder:' "$tintype" forward text-encoder \
  "$nano/nano_clip_l_f16.safetensors" "$nano/nano_t5_bf16.safetensors" --in tokens.safetensors \
  --out b.safetensors
expect 2 'needs at most 77' "$tintype" forward text-encoder "$nano/nano_clip_l_f16.safetensors" \
  --in long.safetensors --out b.safetensors
expect 2 'needs [B, L]' "$tintype" forward text-encoder "$nano/nano_clip_l_f16.safetensors" \
  --in flat.safetensors --out b.safetensors
expect 2 'needs i64 or i32' "$tintype" forward text-encoder "$nano/nano_clip_l_f16.safetensors" \
  --in floats.safetensors --out b.safetensors
expect 2 'takes no --text' "$tintype" forward vae-decode "$nano/nano_ae_f16.safetensors" \
  --text "a star" --in noise.safetensors --out b.safetensors
cp "$nano/nano_clip_l_f16.safetensors" clip.safetensors
expect 2 'would replace it' "$tintype" forward weight clip.safetensors --out ./clip.safetensors \
  --layer text_model.final_layer_norm
expect 2 'needs at least 514' "$tintype" tokenize clip --rows 100 "a star"

# ---- Ctrl-C ----
# interrupt TIMES: starts a long job in an empty folder and interrupts it.
interrupt() {
  local rc=0 began job
  rm -rf job && mkdir job
  (cd job && exec "$tintype" generate -p "a star" --seed 1 --steps 900 --width 512 --height 512 \
    --quiet) 2> interrupted &
  job=$!
  sleep 1
  began=$(date +%s%N)
  for ((i = 0; i < $1; ++i)); do kill -INT $job; done
  wait $job || rc=$?
  [ $rc -eq 130 ] || fail "interrupted $1 times: ended with $rc, expected 130"
  [ $(($(date +%s%N) - began)) -lt 1000000000 ] || fail "interrupted $1 times: took over a second"
  [ -z "$(ls -A job)" ] || fail "interrupted $1 times: left $(ls -A job)"
  ok "interrupted $1 times: ends within a second with 130 and leaves nothing"
}
interrupt 1
interrupt 2

# ---- names that are not ASCII ----
mkdir 'モデル é'
cp "$nano"/nano.json "$nano"/nano_{dit_convrot_int8,clip_l_f16,ae_f16}.safetensors \
  "$nano"/nano_t5_q5_k_m.gguf 'モデル é'
expect 0 '' "$tintype" "${quick[@]}" -m 'モデル é/nano.json' -o 'モデル é/星.png'
[ -s 'モデル é/星.png' ] || fail "no picture in a folder named モデル é"
