"""python3 -m unittest discover clients/python/tests, with clients/python/src in PYTHONPATH."""

import base64
import hashlib
import hmac
import json
import unittest
from pathlib import Path

from traceability_client import Account, WebhookRefused, rlp, verify_webhook
from traceability_client.account import checksummed
from traceability_client.keccak import keccak256

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text())


class Signing(unittest.TestCase):
    def test_hashes_as_keccak(self):
        for one in VECTORS["keccak256"]:
            self.assertEqual("0x" + keccak256(bytes.fromhex(one["data"][2:])).hex(), one["digest"])

    def test_hashes_not_as_sha3(self):
        self.assertNotEqual(keccak256(b""), hashlib.sha3_256(b"").digest())

    def test_encodes_rlp(self):
        def decoded(item):
            return [decoded(one) for one in item] if isinstance(item, list) else bytes.fromhex(item[2:])

        for one in VECTORS["rlp"]:
            self.assertEqual("0x" + rlp.encode(decoded(one["item"])).hex(), one["encoded"])
        self.assertEqual(rlp.encode(0), b"\x80")
        self.assertEqual(rlp.encode(1024), b"\x82\x04\x00")

    def test_signs_as_ethers(self):
        for one in VECTORS["signed"]:
            account = Account(one["privateKey"])
            self.assertEqual(account.address, one["address"])
            self.assertEqual(checksummed(account.address.lower()), one["address"])
            self.assertEqual(account.sign_message(one["text"]), one["message"])
            fields = {**one["fields"], "value": int(one["fields"]["value"])}
            self.assertEqual(account.sign_transaction(**fields), one["transaction"])

    def test_keeps_its_key(self):
        account = Account.create()
        self.assertEqual(repr(account), f"Account({account.address})")
        self.assertNotEqual(account.address, Account.create().address)


SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"
BODY = '{"event":"webhook.test","data":{"note":"Öl"}}'.encode()
NOW = 1_764_579_600


def delivery(at=NOW, secret=SECRET, id="msg_1"):
    signed = f"{id}.{at}.".encode() + BODY
    digest = hmac.new(base64.b64decode(secret[6:]), signed, hashlib.sha256).digest()
    return {"Webhook-Id": id, "Webhook-Timestamp": str(at), "Webhook-Signature": "v1," + base64.b64encode(digest).decode()}


class Webhooks(unittest.TestCase):
    def refused(self, headers, reason, body=BODY):
        with self.assertRaises(WebhookRefused) as raised:
            verify_webhook(SECRET, body, headers, now=NOW)
        self.assertIn(reason, str(raised.exception))

    def test_reads_a_delivery(self):
        read = verify_webhook(SECRET, BODY, delivery(), now=NOW)
        self.assertEqual((read.id, read.body["data"]["note"], read.sent_at.timestamp()), ("msg_1", "Öl", NOW))

    def test_accepts_either_secret_while_one_is_rotated(self):
        both = {**delivery(), "Webhook-Signature": f"{delivery(secret=OTHER)['Webhook-Signature']} {delivery()['Webhook-Signature']}"}
        self.assertEqual(verify_webhook(SECRET, BODY, both, now=NOW).id, "msg_1")
        self.assertEqual(verify_webhook([OTHER, SECRET], BODY, delivery(), now=NOW).id, "msg_1")

    def test_takes_no_secret_that_is_missing_or_not_whole(self):
        for secret in ["", "whsec_", "whsec_!!!", "whsec_c2VjcmV0"]:
            for secrets in [secret, [SECRET, secret]]:
                with self.assertRaisesRegex(ValueError, "not whole"):
                    verify_webhook(secrets, BODY, delivery(), now=NOW)

    def test_refuses_what_is_forged_changed_or_old(self):
        self.refused(delivery(secret=OTHER), "signature is wrong")
        self.refused(delivery(), "signature is wrong", BODY + b" ")
        self.refused({**delivery(), "Webhook-Id": "msg_2"}, "signature is wrong")
        self.refused({**delivery(), "Webhook-Signature": "v1,ÿ"}, "signature is wrong")
        self.refused({**delivery(), "Webhook-Timestamp": "now"}, "missing")
        self.refused({}, "missing")
        self.refused(delivery(at=NOW - 301), "too old")
        self.refused(delivery(at=NOW + 301), "too old")


if __name__ == "__main__":
    unittest.main()
