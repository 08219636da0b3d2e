#!/usr/bin/env python3
"""A receiver of webhooks with the standard library alone. The part to take along is `verify`; the rest shows where it stands."""

import base64
import hashlib
import hmac
import json
import os
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# How far the sender's clock and ours may be apart, in seconds; an older delivery that somebody kept is refused.
TOLERANCE = 300
LARGEST_BODY = 1_048_576
# Bytes of a secret: with fewer, or none, anybody could sign.
LEAST = 24


def verify(scheme, secrets, headers, body, now):
    """Why the delivery is not to be believed, or None.

    secrets: as they were shown, prefix included; two of them while one is being rotated
    body: the bytes as they came; parsed and written again they are others, and the signature is wrong
    """
    if scheme == "standard":
        return verify_standard(secrets, headers, body, now)
    return verify_body(secrets, headers, body)


def verify_standard(secrets, headers, body, now):
    """Standard Webhooks: id, time and body are signed. `webhook-signature` lists one signature for each secret of the sender."""
    event_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not event_id or not re.fullmatch("[0-9]{1,12}", timestamp):
        return "headers are missing"
    if abs(now - int(timestamp)) > TOLERANCE:
        return "too old, or a clock is wrong"
    signed = f"{event_id}.{timestamp}.".encode() + body
    keys = [base64.b64decode(secret.removeprefix("whsec_")) for secret in secrets]
    if any(len(key) < LEAST for key in keys):
        return "a secret is not whole"
    expected = [b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)) for key in keys]
    return None if any_equal(headers.get("webhook-signature", "").split(" "), expected) else "the signature is wrong"


def verify_body(secrets, headers, body):
    """GitHub's way: the body alone is signed, so neither id nor time is certain. The second header is there during a rotation."""
    given = [headers.get("x-webhook-signature", ""), headers.get("x-webhook-signature-previous", "")]
    expected = [b"sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest().encode() for secret in secrets]
    return None if any_equal(given, expected) else "the signature is wrong"


def any_equal(given, expected):
    """Every pair in constant time: how long it takes says nothing of how much was right."""
    return True in [hmac.compare_digest(one.encode("latin-1", "replace"), other) for one in given for other in expected]


# Ids of deliveries that took effect. Here in memory; in earnest a row with a unique key, written in the transaction of the effect.
handled = set()
one_at_a_time = threading.Lock()


def handle(event_id, body):
    with one_at_a_time:
        if event_id in handled:
            return "repeated"
        json.loads(body)  # your effect; it raises, the answer is 500, and the delivery comes again
        handled.add(event_id)
        return "handled"


class Receiver(BaseHTTPRequestHandler):
    def do_HEAD(self):  # when the subscription is made: is somebody there?
        self.answer(200)

    do_GET = do_HEAD

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not length.isascii() or not length.isdigit():
            return self.answer(411)
        if int(length) > LARGEST_BODY:
            return self.answer(413)
        body = self.rfile.read(int(length))
        secrets = os.environ.get("WEBHOOK_SECRETS", "").split()
        scheme = os.environ.get("WEBHOOK_SCHEME", "standard")
        refusal = verify(scheme, secrets, self.headers, body, time.time())
        # the same text, but only the first is signed
        event_id = self.headers.get("webhook-id" if scheme == "standard" else "x-webhook-id", "")
        try:
            outcome = refusal or handle(event_id, body)
        except ValueError:
            return self.answer(500)
        print(json.dumps({"id": event_id, "outcome": outcome}), flush=True)
        self.answer(401 if refusal else 200)

    def answer(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver)
    print("listening", flush=True)
    server.serve_forever()
