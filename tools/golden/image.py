#!/usr/bin/env python3
"""Writes tests/golden/image/: PNGs of kinds that our own writer never makes."""
import pathlib
import struct
import zlib

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "image"


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, depth, colour, interlaced, rows, *more):
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    data = chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(more) + data


def adam7(width, height):
    """The (x, y) of each row of each pass."""
    for x0, y0, dx, dy in [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4),
                           (1, 0, 2, 2), (0, 1, 1, 2)]:
        for y in range(y0, height, dy):
            yield [(x, y) for x in range(x0, width, dx)]


OUT.mkdir(parents=True, exist_ok=True)
grey = b"\0" + struct.pack(">HHHH", 0x1212, 0x8000, 0xFFFF, 0xFFFF)
(OUT / "grey_alpha_16.png").write_bytes(
    png(2, 1, 16, 4, 0, grey, chunk(b"zTXt", b"zipped\0\0" + zlib.compress(b"a packed text"))))

# A red and blue chequerboard, one byte per palette index.
rows = b"".join(b"\0" + bytes((y * 9 + x) % 2 for x, y in row) for row in adam7(9, 9) if row)
(OUT / "palette_interlaced.png").write_bytes(
    png(9, 9, 8, 3, 1, rows, chunk(b"PLTE", bytes([255, 0, 0, 0, 0, 255]))))
