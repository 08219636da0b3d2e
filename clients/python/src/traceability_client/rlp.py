"""Recursive Length Prefix, as transactions are encoded."""

from typing import List, Union

Item = Union[int, bytes, List["Item"]]


def encode(item: Item) -> bytes:
    """Integers are big-endian without leading zeros, so 0 is the empty text."""
    if isinstance(item, int):
        item = item.to_bytes((item.bit_length() + 7) // 8, "big")
    if isinstance(item, list):
        content = b"".join(encode(one) for one in item)
        return _prefix(len(content), 0xC0) + content
    if len(item) == 1 and item[0] < 0x80:
        return item
    return _prefix(len(item), 0x80) + item


def _prefix(length: int, kind: int) -> bytes:
    if length < 56:
        return bytes([kind + length])
    size = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([kind + 55 + len(size)]) + size
