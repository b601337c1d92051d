"""Trains small SentencePiece models and writes how the library splits texts with them.

Usage: text_spiece.py OUT_DIR       (tests/golden/text)
Writes NAME.spiece.model and NAME.json for every model below; needs sentencepiece 0.2. The models
differ in what T5's own vocabulary keeps fixed: flags, ids and rewriting rules.
"""
import io
import json
import os
import pathlib
import random
import sys
import tempfile

import sentencepiece

WORDS = """a an the red green blue small large cube sphere cone star moon house table on under
above beside of and""".split()
LETTERS = "abcdefghijklmnopqrstuvwxyz\u00e90123456789.,!?()'-"
RULES = {"A": "a", "B": "b", "ABC": "star", "\ufb01": "fi", "e\u0301": "\u00e9",
         "\t": " ", "\u3000": " ", "\u200b": ""}
MODELS = {
    "spiece_rules": dict(add_dummy_prefix=True, remove_extra_whitespaces=True,
                         pad_id=0, eos_id=1, unk_id=2, normalization_rule_tsv="rules.tsv"),
    "spiece_spaces": dict(add_dummy_prefix=False, remove_extra_whitespaces=False,
                          pad_id=2, eos_id=0, unk_id=1, normalization_rule_name="identity"),
}


def code_points(text):
    return " ".join(f"{ord(c):X}" for c in text)


def train(options):
    rng = random.Random(1)
    lines = [" ".join(rng.choices(WORDS, k=rng.randint(3, 9))) for _ in range(2000)]
    lines += ["".join(rng.choices(LETTERS, k=40)) for _ in range(200)]
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=160, model_type="unigram",
        bos_id=-1, minloglevel=2, **options)
    return model.getvalue()


def texts():
    yield from ["", " ", "   ", "a red cube on the table", "  two   spaces ", "ABCA BAB ABC",
                "\ufb01\ufb01 cafe\u0301 \u732b\u732b {x}", "?????11111",
                "tab\there\u3000wide\u200bnone", "</s> <unk> <pad>", "a\u2581b \u2581"]
    rng = random.Random(2)
    alphabet = "abcde  ABC\ufb01\u0301\t\u3000\u200b\u732b\U0001f431?!1."
    for _ in range(60):
        yield "".join(rng.choices(alphabet, k=rng.randint(1, 30)))


def main(out):
    # The models record the path of the rules: a bare name keeps them the same everywhere.
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        rules = [f"{code_points(a)}\t{code_points(b)}\n" for a, b in RULES.items()]
        pathlib.Path("rules.tsv").write_text("".join(rules))
        models = {name: train(options) for name, options in MODELS.items()}
        os.chdir(out)
    for name, model in models.items():
        library = sentencepiece.SentencePieceProcessor(model_proto=model)
        vectors = {"library": f"sentencepiece {sentencepiece.__version__}",
                   "eos": library.eos_id(), "pad": library.pad_id(),
                   "cases": [{"text": text, "ids": library.encode(text)} for text in texts()]}
        (out / f"{name}.spiece.model").write_bytes(model)
        lines = json.dumps(vectors).replace(' {"text"', '\n{"text"')  # one case a line
        (out / f"{name}.json").write_text(lines + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
