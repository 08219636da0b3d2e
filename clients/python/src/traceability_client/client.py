"""The service over HTTP, as one principal."""

import json
import threading
import urllib.error
import urllib.request
import uuid
from datetime import datetime, timezone
from typing import Any, Dict, Iterator, Mapping, NamedTuple, Optional
from urllib.parse import quote, urlencode, urlsplit

from .account import Account
from .operations import Operations

TIMEOUT_SECONDS = 60


class ApiProblem(Exception):
    """An error of the service: RFC 9457 problem details. Branch on `code`, which is stable."""

    def __init__(self, status: int, body: Mapping[str, Any]):
        super().__init__(f"{status} {body.get('code')}: {body.get('detail') or body.get('title')}")
        self.status = status
        self.code = body.get("code")
        self.body = body
        # Errors of single fields: pointer, code and message.
        self.errors = body.get("errors", [])


class File(NamedTuple):
    """A file of an upload."""

    name: str
    content: bytes
    type: str = "application/octet-stream"


class _KeepMethod(urllib.request.HTTPRedirectHandler):
    """A credential is sent to no other address."""

    def redirect_request(self, *_):
        return None


_opener = urllib.request.build_opener(_KeepMethod)


class Client:
    """
    `client.api` has a method for each operation of the API. Sign in with `Client.login` or `Client.sign_in_with_ethereum`, or give an API key.
    An access token that is no longer accepted is renewed once, and the request repeated.
    """

    def __init__(self, base_url: str, *, api_key: Optional[str] = None, tokens: Optional[Mapping[str, Any]] = None):
        self.base_url = base_url.rstrip("/")
        self._api_key = api_key
        self._tokens = tokens
        self._renewing = threading.Lock()
        self.api = Operations(self)

    @classmethod
    def login(cls, base_url: str, email: str, password: str, tenant: Optional[str] = None) -> "Client":
        """Somebody who belongs to several tenants says which one."""
        body = {"email": email, "password": password, **({"tenantId": tenant} if tenant else {})}
        return cls(base_url, tokens=cls(base_url).api.login(body))

    @classmethod
    def sign_in_with_ethereum(cls, base_url: str, account: Account, chain_id: int, tenant: Optional[str] = None) -> "Client":
        """EIP-4361: signs a message with a nonce of the service."""
        anonymous = cls(base_url)
        message = siwe_message(account.address, base_url, chain_id, anonymous.api.get_siwe_nonce(), datetime.now(timezone.utc))
        body = {"message": message, "signature": account.sign_message(message), **({"tenantId": tenant} if tenant else {})}
        return cls(base_url, tokens=anonymous.api.sign_in_with_ethereum(body))

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Any:
        """JSON is decoded, anything else is bytes. A body with a `File` is sent as a form. Raises ApiProblem."""
        request = self._request(method, path, query, body, headers or {})
        used = self._tokens
        try:
            return self._send(request, used)
        except ApiProblem as problem:
            if problem.status != 401 or used is None or not self._renew(used):
                raise
        return self._send(request, self._tokens)

    def pages(self, path: str, query: Optional[Mapping[str, Any]] = None) -> Iterator[Any]:
        """All items of a list, page after page."""
        asked: Dict[str, Any] = dict(query or {})
        while True:
            page = self.call("GET", path, query=asked)
            yield from page["data"]
            if page.get("nextCursor"):
                asked.pop("page", None)
                asked["cursor"] = page["nextCursor"]
            elif "cursor" not in asked and page.get("page") and len(page["data"]) == page["limit"]:
                asked["page"] = page["page"] + 1
            else:
                return

    def _request(self, method, path, query, body, headers):
        given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        url = self.base_url + path + ("?" + urlencode(given) if given else "")
        data, content = None, {}
        if isinstance(body, Mapping) and any(isinstance(value, File) for value in body.values()):
            data, content = _form(body)
        elif body is not None:
            data, content = json.dumps(body).encode(), {"content-type": "application/json"}
        return urllib.request.Request(url, data, {"accept": "application/json, */*;q=0.5", **content, **{name: value for name, value in headers.items() if value is not None}}, method=method)

    def _send(self, request, tokens):
        request.remove_header("Authorization")
        if tokens is not None:
            request.add_header("Authorization", f"Bearer {tokens['accessToken']}")
        elif self._api_key is not None:
            request.add_header("X-api-key", self._api_key)
        try:
            with _opener.open(request, timeout=TIMEOUT_SECONDS) as response:
                content = response.read()
                is_json = "json" in response.headers.get("content-type", "")
                return json.loads(content) if is_json and content else content or None
        except urllib.error.HTTPError as error:
            raise ApiProblem(error.code, _problem(error.read())) from None

    def _renew(self, used) -> bool:
        """One thread renews for all: a refresh token that is used twice ends the session."""
        with self._renewing:
            if self._tokens is used:
                try:
                    self._tokens = Client(self.base_url).api.refresh_tokens({"refreshToken": used["refreshToken"]})
                except ApiProblem as problem:
                    if problem.status != 401:
                        raise
                    return False
        return True


def siwe_message(address: str, base_url: str, chain_id: int, nonce: str, at: datetime) -> str:
    """The message of EIP-4361, byte for byte as the service reads it."""
    origin = urlsplit(base_url)
    return (
        f"{origin.netloc} wants you to sign in with your Ethereum account:\n{address}\n\nSign in to the Traceability Service.\n\n"
        f"URI: {origin.scheme}://{origin.netloc}\nVersion: 1\nChain ID: {chain_id}\nNonce: {nonce}\n"
        f"Issued At: {at.strftime('%Y-%m-%dT%H:%M:%S.')}{at.microsecond // 1000:03d}Z"
    )


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _problem(content: bytes) -> Mapping[str, Any]:
    try:
        return json.loads(content)
    except ValueError:
        return {"code": "not_a_problem", "detail": content[:200].decode("utf-8", "replace")}


def _form(fields: Mapping[str, Any]):
    boundary = uuid.uuid4().hex
    parts = []
    for name, value in fields.items():
        head = f'content-disposition: form-data; name="{name}"'
        if isinstance(value, File):
            head += f'; filename="{quote(value.name)}"\r\ncontent-type: {value.type}'
        content = value.content if isinstance(value, File) else _text(value).encode()
        parts.append(f"--{boundary}\r\n{head}\r\n\r\n".encode() + content + b"\r\n")
    return b"".join(parts) + f"--{boundary}--\r\n".encode(), {"content-type": f"multipart/form-data; boundary={boundary}"}
