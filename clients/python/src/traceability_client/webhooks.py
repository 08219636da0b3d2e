"""Standard Webhooks: id, time and body of a delivery are signed."""

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from datetime import datetime, timezone
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Union

# How far the clocks of sender and receiver may differ, in seconds; an older delivery that somebody kept is refused.
TOLERANCE_SECONDS = 300
# Standard Webhooks asks for so many bytes at least.
LEAST_BYTES = 24


class WebhookRefused(Exception):
    """The request is not a delivery of the service, or an old one. Answer 401."""


class Delivery(NamedTuple):
    # The same when a delivery is repeated: process each id once.
    id: str
    sent_at: datetime
    body: Any


def verify_webhook(
    secrets: Union[str, Iterable[str]],
    raw_body: bytes,
    headers: Mapping[str, str],
    *,
    now: Optional[float] = None,
    tolerance_seconds: int = TOLERANCE_SECONDS,
) -> Delivery:
    """
    secrets: as they were shown, with `whsec_`; two of them while one is rotated
    raw_body: the bytes as they came: parsed and written again they are others, and the signature is wrong
    Raises WebhookRefused with the reason, ValueError where a secret is missing or not whole. Compares in constant time.
    """
    given = {name.lower(): value for name, value in headers.items()}
    delivery_id, timestamp = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    if not delivery_id or not re.fullmatch("[0-9]{1,12}", timestamp):
        raise WebhookRefused("The headers of Standard Webhooks are missing.")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance_seconds:
        raise WebhookRefused("The delivery is too old, or a clock is wrong.")
    signed = f"{delivery_id}.{timestamp}.".encode() + raw_body
    expected = [_signature(secret, signed) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    signatures = [one.encode("latin-1", "replace") for one in given.get("webhook-signature", "").split(" ")]
    # Every pair, so that the time says nothing of how much was right.
    if True not in [hmac.compare_digest(one, other) for one in signatures for other in expected]:
        raise WebhookRefused("The signature is wrong.")
    return Delivery(delivery_id, datetime.fromtimestamp(int(timestamp), timezone.utc), json.loads(raw_body))


def _signature(secret: str, signed: bytes) -> bytes:
    key = _key(secret)
    return b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())


def _key(secret: str) -> bytes:
    """Raises ValueError for a secret that is missing, or was copied in part: with fewer bytes, or none, anybody could sign."""
    text = secret[len("whsec_") :] if secret.startswith("whsec_") else secret
    try:
        key = base64.b64decode(text, validate=True)
    except binascii.Error:
        key = b""
    if len(key) < LEAST_BYTES:
        raise ValueError("The secret of the webhook is missing, or is not whole.")
    return key
