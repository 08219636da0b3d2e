"""A key on secp256k1, and what it signs. The key stays in this object."""

import hashlib
import secrets

from ecdsa import SECP256k1, SigningKey
from ecdsa.rfc6979 import generate_k

from . import rlp
from .keccak import keccak256

ORDER = SECP256k1.order


class Account:
    """An account of an EVM chain."""

    def __init__(self, private_key: str):
        """`private_key`: 32 bytes in hex, with or without 0x."""
        key = bytes.fromhex(private_key[2:] if private_key.startswith("0x") else private_key)
        self._key = SigningKey.from_string(key, curve=SECP256k1)
        self.address = checksummed(keccak256(self._key.verifying_key.to_string())[12:].hex())

    @classmethod
    def create(cls) -> "Account":
        """A new key of the system's random numbers."""
        return cls(f"{secrets.randbelow(ORDER - 1) + 1:064x}")

    def __repr__(self) -> str:
        return f"Account({self.address})"

    def sign_message(self, text: str) -> str:
        """EIP-191 `personal_sign`: 65 bytes in hex."""
        message = text.encode()
        digest = keccak256(b"\x19Ethereum Signed Message:\n" + str(len(message)).encode() + message)
        parity, r, s = self._sign(digest)
        return "0x" + (r.to_bytes(32, "big") + s.to_bytes(32, "big") + bytes([27 + parity])).hex()

    def sign_transaction(self, *, chain_id, nonce, to, data, gas_limit, max_fee_per_gas, max_priority_fee_per_gas, value=0) -> str:
        """A transaction of type 2 (EIP-1559), ready for `eth_sendRawTransaction`. `to` is None to create a contract; amounts in wei."""
        fields = [
            chain_id,
            nonce,
            max_priority_fee_per_gas,
            max_fee_per_gas,
            gas_limit,
            b"" if to is None else bytes.fromhex(to[2:]),
            value,
            bytes.fromhex(data[2:]),
            [],
        ]
        signature = self._sign(keccak256(b"\x02" + rlp.encode(fields)))
        return "0x02" + rlp.encode([*fields, *signature]).hex()

    def _sign(self, digest: bytes):
        """Parity, r and s: deterministic (RFC 6979), with the lower of both s (EIP-2)."""
        k = generate_k(ORDER, self._key.privkey.secret_multiplier, hashlib.sha256, digest)
        signature = self._key.privkey.sign(int.from_bytes(digest, "big"), k)
        parity = (k * SECP256k1.generator).y() & 1
        r, s = int(signature.r), int(signature.s)
        return (parity, r, s) if s <= ORDER // 2 else (parity ^ 1, r, ORDER - s)


def checksummed(address: str) -> str:
    """EIP-55."""
    letters = address.lower().replace("0x", "")
    digest = keccak256(letters.encode()).hex()
    return "0x" + "".join(letter.upper() if int(nibble, 16) > 7 else letter for letter, nibble in zip(letters, digest))
