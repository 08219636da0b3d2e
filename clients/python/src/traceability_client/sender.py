"""Signs prepared transactions, sends them to the chain, and waits until the service calls them final."""

import json
import threading
import time
import urllib.error
import urllib.request
from typing import Any, Mapping, Optional

from .account import Account
from .client import ApiProblem, Client

TIP = 1_000_000_000
SETTLED = {"confirmed", "failed", "replaced", "dropped"}


class RpcError(Exception):
    """The node refused; `code` and `data` are its own."""

    def __init__(self, method: str, error: Mapping[str, Any]):
        super().__init__(f"{method}: {error.get('message')}")
        self.code = error.get("code")
        self.data = error.get("data")


class TransactionNotConfirmed(Exception):
    """It was sent, but it failed, was replaced or was dropped."""

    def __init__(self, transaction: Mapping[str, Any]):
        super().__init__(f"transaction {transaction.get('txHash')} is {transaction['status']}: {transaction.get('error')}")
        self.transaction = transaction


class Rpc:
    """A JSON-RPC call to an EVM node."""

    def __init__(self, url: str):
        self.url = url

    def call(self, method: str, *params: Any) -> Any:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        request = urllib.request.Request(self.url, body, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as response:
            answer = json.loads(response.read())
        if answer.get("error"):
            raise RpcError(method, answer["error"])
        return answer["result"]


class Sender:
    """Use one for each account: it counts the nonces."""

    def __init__(self, rpc_url: str, account: Account):
        self.account = account
        self._rpc = Rpc(rpc_url)
        self._next_nonce: Optional[int] = None
        self._sending = threading.Lock()

    def send(self, prepared: Mapping[str, Any]) -> str:
        """`prepared`: the `preparedTx` of an answer. Returns the hash, as soon as the node has accepted it."""
        with self._sending:
            if self._next_nonce is None:
                self._next_nonce = int(self._rpc.call("eth_getTransactionCount", self.account.address, "pending"), 16)
            try:
                tx_hash = self._rpc.call("eth_sendRawTransaction", self._signed(prepared, self._next_nonce))
            except Exception:
                # Whether it arrived is not known: the node is asked for the next nonce, and none is left out.
                self._next_nonce = None
                raise
            self._next_nonce += 1
            return tx_hash

    def _signed(self, prepared: Mapping[str, Any], nonce: int) -> str:
        base_fee = int(self._rpc.call("eth_getBlockByNumber", "latest", False).get("baseFeePerGas", "0x0"), 16)
        return self.account.sign_transaction(
            chain_id=prepared["chainId"],
            nonce=nonce,
            to=prepared["to"],
            data=prepared["data"],
            # A fifth more than the estimate covers transactions that are mined in between.
            gas_limit=prepared["gasEstimate"] * 12 // 10,
            max_fee_per_gas=base_fee * 2 + TIP,
            max_priority_fee_per_gas=TIP,
        )


def sign_and_confirm(client: Client, sender: Sender, prepared: Mapping[str, Any], **options: Any) -> Mapping[str, Any]:
    """Signs, sends, tracks, and waits until it is confirmed."""
    return confirm(client, sender.send(prepared), **options)


def confirm(
    client: Client, tx_hash: str, *, type: Optional[str] = None, timeout_seconds: float = 120, every_seconds: float = 0.3
) -> Mapping[str, Any]:
    """
    Tracks a transaction that was sent; a second call tracks it only once. While the service does not answer, the requests are repeated.
    Raises TransactionNotConfirmed, ApiProblem when the service refuses, TimeoutError (it may still be confirmed later).
    """
    deadline = time.monotonic() + timeout_seconds

    def insistent(ask):
        while True:
            try:
                return ask()
            except (ApiProblem, OSError) as problem:
                refused = isinstance(problem, ApiProblem) and problem.status < 500 and problem.status != 429
                if refused or time.monotonic() > deadline:
                    raise
                time.sleep(every_seconds)

    body = {"txHash": tx_hash, **({"type": type} if type else {})}
    tracking_id = insistent(lambda: client.api.track_tx(body))["trackingId"]
    while True:
        transaction = insistent(lambda: client.api.get_tx(tracking_id))
        if transaction["status"] == "confirmed":
            return transaction
        if transaction["status"] in SETTLED:
            raise TransactionNotConfirmed(transaction)
        if time.monotonic() > deadline:
            raise TimeoutError(f"transaction {tx_hash} is still {transaction['status']}")
        time.sleep(every_seconds)
