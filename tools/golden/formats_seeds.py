#!/usr/bin/env python3
"""Seeds for the fuzz targets of the weight files. Usage: formats_seeds.py OUT

OUT/gguf and OUT/safetensors get the smaller files of tests/golden/formats/; for the second way into
the safetensors target also their headers, behind the number of data bytes.
"""
import json
import pathlib
import struct
import sys

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "formats"
LAYERS = {"model.a": {"format": "int8_tensorwise", "convrot": True, "convrot_groupsize": 16}}
LAYER = {
    "__metadata__": {"_quantization_metadata": json.dumps({"layers": LAYERS})},
    "a.weight": {"dtype": "I8", "shape": [2, 16], "data_offsets": [0, 32]},
    "a.weight_scale": {"dtype": "BF16", "shape": [2, 1], "data_offsets": [32, 36]},
}

out = pathlib.Path(sys.argv[1])
for kind in ("gguf", "safetensors"):
    (out / kind).mkdir(parents=True, exist_ok=True)
    for file in GOLDEN.glob(f"*.{kind}"):
        data = file.read_bytes()
        if len(data) > 40000:
            continue
        (out / kind / file.name).write_bytes(data)
        if kind == "safetensors":
            end = 8 + struct.unpack("<Q", data[:8])[0]
            seed = struct.pack("<H", len(data) - end) + data[8:end]
            (out / kind / (file.stem + ".header")).write_bytes(seed)
layer = struct.pack("<H", 36) + json.dumps(LAYER).encode()
(out / "safetensors" / "layer.header").write_bytes(layer)
