"""The Python client of the traceability service. Keys never leave your process."""

from .account import Account
from .client import ApiProblem, Client
from .sender import Rpc, RpcError, Sender, TransactionNotConfirmed, confirm, sign_and_confirm
from .webhooks import Delivery, WebhookRefused, verify_webhook

__all__ = [
    "Account",
    "ApiProblem",
    "Client",
    "Delivery",
    "Rpc",
    "RpcError",
    "Sender",
    "TransactionNotConfirmed",
    "WebhookRefused",
    "confirm",
    "sign_and_confirm",
    "verify_webhook",
]
