"""Keccak-256 as Ethereum uses it: the padding of the competition, not that of SHA-3, so `hashlib.sha3_256` gives other digests."""

RATE = 136
MASK = (1 << 64) - 1


def _round_constants():
    register = 1
    for _ in range(24):
        constant = 0
        for power in range(7):
            if register & 1:
                constant |= 1 << ((1 << power) - 1)
            register = (register << 1) ^ (0x171 if register & 0x80 else 0)
        yield constant


ROUND_CONSTANTS = tuple(_round_constants())


def _rotations():
    """For each lane in the order of pi: where it goes, and how far its bits are rotated."""
    x, y = 1, 0
    for step in range(24):
        x, y = y, (2 * x + 3 * y) % 5
        yield x + 5 * y, (step + 1) * (step + 2) // 2 % 64


ROTATIONS = tuple(_rotations())


def _rotated(lane, by):
    return ((lane << by) | (lane >> (64 - by))) & MASK


def _permute(lanes):
    for constant in ROUND_CONSTANTS:
        columns = [lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20] for x in range(5)]
        for x in range(5):
            mixed = columns[(x + 4) % 5] ^ _rotated(columns[(x + 1) % 5], 1)
            for y in range(0, 25, 5):
                lanes[x + y] ^= mixed
        moving = lanes[1]
        for place, by in ROTATIONS:
            lanes[place], moving = _rotated(moving, by), lanes[place]
        for y in range(0, 25, 5):
            row = lanes[y : y + 5]
            for x in range(5):
                lanes[x + y] = row[x] ^ (~row[(x + 1) % 5] & MASK & row[(x + 2) % 5])
        lanes[0] ^= constant


def keccak256(data: bytes) -> bytes:
    padded = bytearray(data) + b"\x01" + bytes(-(len(data) + 1) % RATE)
    padded[-1] |= 0x80
    lanes = [0] * 25
    for start in range(0, len(padded), RATE):
        for lane in range(RATE // 8):
            lanes[lane] ^= int.from_bytes(padded[start + 8 * lane : start + 8 * lane + 8], "little")
        _permute(lanes)
    return b"".join(lane.to_bytes(8, "little") for lane in lanes[:4])
