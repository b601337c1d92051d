"""Trains small SentencePiece models and writes how the sentencepiece library splits texts with them.

Usage: text_spiece.py OUT_DIR       (tests/golden/text) writes NAME.spiece.model and NAME.json for every model below
Needs sentencepiece 0.2. The models differ in what T5's own vocabulary keeps fixed: flags, ids and rewriting rules.
"""
import io
import json
import pathlib
import random
import sys
import tempfile

import sentencepiece

WORDS = "a an the red green blue small large cube sphere cone star moon house table on under above beside of and".split()
RULES = [("A", "a"), ("B", "b"), ("ABC", "star"), ("\ufb01", "fi"), ("e\u0301", "\u00e9"), ("\t", " "), ("\u3000", " "), ("\u200b", "")]
MODELS = {
    "spiece_rules": dict(add_dummy_prefix=True, remove_extra_whitespaces=True, pad_id=0, eos_id=1, unk_id=2),
    "spiece_spaces": dict(add_dummy_prefix=False, remove_extra_whitespaces=False, pad_id=2, eos_id=0, unk_id=1,
                          normalization_rule_name="identity"),
}


def rules_file(folder):
    def code_points(text):
        return " ".join(f"{ord(c):X}" for c in text)
    path = pathlib.Path(folder) / "rules.tsv"
    path.write_text("".join(f"{code_points(a)}\t{code_points(b)}\n" for a, b in RULES))
    return str(path)


def train(options, folder):
    rng = random.Random(1)
    lines = [" ".join(rng.choices(WORDS, k=rng.randint(3, 9))) for _ in range(2000)]
    lines += ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz\u00e90123456789.,!?()'-", k=40)) for _ in range(200)]
    if "normalization_rule_name" not in options:
        options = options | {"normalization_rule_tsv": rules_file(folder)}
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=model, vocab_size=160, model_type="unigram",
                                             bos_id=-1, minloglevel=2, **options)
    return model.getvalue()


def texts():
    rng = random.Random(2)
    yield from ["", " ", "   ", "a red cube on the table", "  two   spaces ", "ABCA BAB ABC", "\ufb01\ufb01 cafe\u0301 \u732b\u732b {x}", "?????11111",
                "tab\there\u3000wide\u200bnone", "</s> <unk> <pad>", "a\u2581b \u2581"]
    alphabet = "abcde  ABC\ufb01\u0301\t\u3000\u200b\u732b\U0001f431?!1."
    for _ in range(60):
        yield "".join(rng.choices(alphabet, k=rng.randint(1, 30)))


def main(out):
    for name, options in MODELS.items():
        with tempfile.TemporaryDirectory() as folder:
            model = train(options, folder)
        (out / f"{name}.spiece.model").write_bytes(model)
        library = sentencepiece.SentencePieceProcessor(model_proto=model)
        lines = [json.dumps({"text": text, "ids": library.encode(text)}) for text in texts()]
        (out / f"{name}.json").write_text('{"library": "sentencepiece %s", "eos": %d, "pad": %d, "cases": [\n%s\n]}\n' % (
            sentencepiece.__version__, library.eos_id(), library.pad_id(), ",\n".join(lines)))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
