"""Every operation of the API. Generated from the OpenAPI document by tools/openapi-types.mjs; a test compares it with the service."""

from typing import Any
from urllib.parse import quote


def _in(value: Any) -> str:
    return quote(str(value), safe="")


class Operations:
    """Arguments of a path and the body come first; filters and headers are named. Answers are decoded JSON, or bytes."""

    def __init__(self, client):
        self._client = client

    def login(self, body: Any) -> Any:
        """Log in with e-mail and password

        POST /api/v2/auth/login
        """
        return self._client.call("POST", "/api/v2/auth/login", body=body)

    def select_tenant(self, body: Any) -> Any:
        """Choose the tenant of a partial token

        POST /api/v2/auth/select-tenant
        """
        return self._client.call("POST", "/api/v2/auth/select-tenant", body=body)

    def switch_tenant(self, body: Any) -> Any:
        """Continue in another tenant

        POST /api/v2/auth/switch-tenant
        """
        return self._client.call("POST", "/api/v2/auth/switch-tenant", body=body)

    def refresh_tokens(self, body: Any) -> Any:
        """New tokens for a refresh token; a token that was used before ends the session

        POST /api/v2/auth/refresh
        """
        return self._client.call("POST", "/api/v2/auth/refresh", body=body)

    def logout(self) -> Any:
        """End the session and all its tokens

        POST /api/v2/auth/logout
        """
        return self._client.call("POST", "/api/v2/auth/logout")

    def get_memberships(self) -> Any:
        """Tenants of the user

        GET /api/v2/auth/memberships
        """
        return self._client.call("GET", "/api/v2/auth/memberships")

    def get_me(self) -> Any:
        """The current identity payload

        GET /api/v2/auth/me
        """
        return self._client.call("GET", "/api/v2/auth/me")

    def get_siwe_nonce(self) -> Any:
        """A nonce for one sign-in message, valid for five minutes; a JSON string when the request accepts JSON

        GET /api/v2/auth/siwe/nonce
        """
        return self._client.call("GET", "/api/v2/auth/siwe/nonce")

    def sign_in_with_ethereum(self, body: Any) -> Any:
        """Sign in with a signed EIP-4361 message

        POST /api/v2/auth/siwe
        """
        return self._client.call("POST", "/api/v2/auth/siwe", body=body)

    def confirm_wallet(self, body: Any) -> Any:
        """Confirm the wallet that an administrator proposed for you, by an EIP-4361 message that it signs

        POST /api/v2/auth/wallet
        """
        return self._client.call("POST", "/api/v2/auth/wallet", body=body)

    def change_password(self, body: Any) -> Any:
        """Change your password; your other sessions end

        POST /api/v2/auth/password
        """
        return self._client.call("POST", "/api/v2/auth/password", body=body)

    def forgot_password(self, body: Any) -> Any:
        """Request a one-time link by mail; the answer is the same for an unknown address

        POST /api/v2/auth/password/forgot
        """
        return self._client.call("POST", "/api/v2/auth/password/forgot", body=body)

    def reset_password(self, body: Any) -> Any:
        """Set a new password by the one-time link; all sessions end

        POST /api/v2/auth/password/reset
        """
        return self._client.call("POST", "/api/v2/auth/password/reset", body=body)

    def choose_language(self, body: Any) -> Any:
        """Choose the language of mails to you; `me` shows it

        PUT /api/v2/auth/language
        """
        return self._client.call("PUT", "/api/v2/auth/language", body=body)

    def list_sessions(self) -> Any:
        """Your sessions that have not ended

        GET /api/v2/auth/sessions
        """
        return self._client.call("GET", "/api/v2/auth/sessions")

    def end_other_sessions(self) -> Any:
        """End all your sessions but this one

        DELETE /api/v2/auth/sessions
        """
        return self._client.call("DELETE", "/api/v2/auth/sessions")

    def end_session(self, id: Any) -> Any:
        """End one of your sessions

        DELETE /api/v2/auth/sessions/{id}
        """
        return self._client.call("DELETE", f"/api/v2/auth/sessions/{_in(id)}")

    def passkey_registration_options(self, body: Any) -> Any:
        """What a device needs to make a passkey for you

        POST /api/v2/auth/passkeys/registration/options
        """
        return self._client.call("POST", "/api/v2/auth/passkeys/registration/options", body=body)

    def add_passkey(self, body: Any) -> Any:
        """Add the passkey that the device made

        POST /api/v2/auth/passkeys/registration/verify
        """
        return self._client.call("POST", "/api/v2/auth/passkeys/registration/verify", body=body)

    def list_passkeys(self) -> Any:
        """Your passkeys in this tenant

        GET /api/v2/auth/passkeys
        """
        return self._client.call("GET", "/api/v2/auth/passkeys")

    def delete_passkey(self, id: Any) -> Any:
        """Delete a passkey of yours; your other sessions end

        DELETE /api/v2/auth/passkeys/{id}
        """
        return self._client.call("DELETE", f"/api/v2/auth/passkeys/{_in(id)}")

    def passkey_authentication_options(self) -> Any:
        """What a device needs to sign in with a passkey

        POST /api/v2/auth/passkeys/authentication/options
        """
        return self._client.call("POST", "/api/v2/auth/passkeys/authentication/options")

    def sign_in_with_passkey(self, body: Any) -> Any:
        """Sign in with a passkey: login and second factor at once

        POST /api/v2/auth/passkeys/authentication/verify
        """
        return self._client.call("POST", "/api/v2/auth/passkeys/authentication/verify", body=body)

    def invitation_passkey_options(self, body: Any) -> Any:
        """What a device needs to make a passkey for who was invited

        POST /api/v2/auth/invitations/passkey/options
        """
        return self._client.call("POST", "/api/v2/auth/invitations/passkey/options", body=body)

    def accept_invitation_with_passkey(self, body: Any) -> Any:
        """Accept an invitation with a passkey, and sign in

        POST /api/v2/auth/invitations/passkey/verify
        """
        return self._client.call("POST", "/api/v2/auth/invitations/passkey/verify", body=body)

    def get_jwks(self) -> Any:
        """Public keys of access tokens (RFC 7517)

        GET /.well-known/jwks.json
        """
        return self._client.call("GET", "/.well-known/jwks.json")

    def get_usage(self) -> Any:
        """What the tenant has used, and what its tier allows

        GET /api/v1/usage
        """
        return self._client.call("GET", "/api/v1/usage")

    def list_api_keys(self, *, page: Any = None, limit: Any = None) -> Any:
        """API keys of the tenant, newest first, revoked keys too

        GET /api/v1/api-keys
        """
        return self._client.call("GET", "/api/v1/api-keys", query={"page": page, "limit": limit})

    def create_api_key(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """Create a key; its secret is shown only once

        POST /api/v1/api-keys
        """
        return self._client.call("POST", "/api/v1/api-keys", body=body, headers={"Idempotency-Key": idempotency_key})

    def rotate_api_key(self, id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Create a new secret; the old one stays valid for `overlapSeconds`

        POST /api/v1/api-keys/{id}/rotate
        """
        return self._client.call("POST", f"/api/v1/api-keys/{_in(id)}/rotate", body=body, headers={"Idempotency-Key": idempotency_key})

    def remove_api_key(self, id: Any) -> Any:
        """Revoke a key, at once

        DELETE /api/v1/api-keys/{id}
        """
        return self._client.call("DELETE", f"/api/v1/api-keys/{_in(id)}")

    def list_members(self, *, page: Any = None, limit: Any = None, search: Any = None, status: Any = None) -> Any:
        """Members by e-mail, each with what the contract lets its wallet do

        GET /api/v2/members
        """
        return self._client.call("GET", "/api/v2/members", query={"page": page, "limit": limit, "search": search, "status": status})

    def invite_member(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """Invite somebody: a mail tells them how to sign in. The answer is the same for a user of the service and for a new one

        POST /api/v2/members
        """
        return self._client.call("POST", "/api/v2/members", body=body, headers={"Idempotency-Key": idempotency_key})

    def get_member(self, id: Any) -> Any:
        """One member

        GET /api/v2/members/{id}
        """
        return self._client.call("GET", f"/api/v2/members/{_in(id)}")

    def change_member(self, id: Any, body: Any, *, if_match: Any = None) -> Any:
        """Change roles, scopes or organisation, or propose a wallet; absent fields do not change

        PATCH /api/v2/members/{id}
        """
        return self._client.call("PATCH", f"/api/v2/members/{_in(id)}", body=body, headers={"If-Match": if_match})

    def remove_member(self, id: Any, *, if_match: Any = None) -> Any:
        """End a membership, at once; then prepare its grants to remove the rights on chain

        DELETE /api/v2/members/{id}
        """
        return self._client.call("DELETE", f"/api/v2/members/{_in(id)}", headers={"If-Match": if_match})

    def prepare_grants_of_members(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """The same for several members: an account of passkeys signs all calls at once, as one batch

        POST /api/v2/members/grants/prepare
        """
        return self._client.call("POST", "/api/v2/members/grants/prepare", body=body, headers={"Idempotency-Key": idempotency_key})

    def prepare_member_grants(self, id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """What to sign so that the contract lets the wallet do what the service lets the member do

        POST /api/v2/members/{id}/grants/prepare
        """
        return self._client.call("POST", f"/api/v2/members/{_in(id)}/grants/prepare", body=body, headers={"Idempotency-Key": idempotency_key})

    def prepare_member_wallet_replacement(self, id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Replace a lost wallet: what to sign now, and what the new wallet signs after seven days

        POST /api/v2/members/{id}/wallet/replace/prepare
        """
        return self._client.call("POST", f"/api/v2/members/{_in(id)}/wallet/replace/prepare", body=body, headers={"Idempotency-Key": idempotency_key})

    def get_organisation_account(self, id: Any) -> Any:
        """The account of the organisation, and who signs for it

        GET /api/v1/organisations/{id}/account
        """
        return self._client.call("GET", f"/api/v1/organisations/{_in(id)}/account")

    def open_organisation_account(self, id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """An account that holds the lots of the organisation; the passkeys of its owners sign

        POST /api/v1/organisations/{id}/account
        """
        return self._client.call("POST", f"/api/v1/organisations/{_in(id)}/account", body=body, headers={"Idempotency-Key": idempotency_key})

    def prepare_organisation_owner(self, id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Add an owner, propose or veto a removal, or remove one: what an owner signs

        POST /api/v1/organisations/{id}/account/owners/prepare
        """
        return self._client.call("POST", f"/api/v1/organisations/{_in(id)}/account/owners/prepare", body=body, headers={"Idempotency-Key": idempotency_key})

    def prepare_organisation_approvals(self, id: Any, *, idempotency_key: Any = None) -> Any:
        """What an owner signs so that the members of the organisation use its lots, and nobody else

        POST /api/v1/organisations/{id}/account/approvals/prepare
        """
        return self._client.call("POST", f"/api/v1/organisations/{_in(id)}/account/approvals/prepare", headers={"Idempotency-Key": idempotency_key})

    def prepare_organisation_member_removal(self, id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Take a member's approval and roles away: what an owner and an administrator sign

        POST /api/v1/organisations/{id}/account/removal/prepare
        """
        return self._client.call("POST", f"/api/v1/organisations/{_in(id)}/account/removal/prepare", body=body, headers={"Idempotency-Key": idempotency_key})

    def list_organisations(self, *, page: Any = None, limit: Any = None, search: Any = None) -> Any:
        """Organisations by name

        GET /api/v1/organisations
        """
        return self._client.call("GET", "/api/v1/organisations", query={"page": page, "limit": limit, "search": search})

    def create_organisation(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """Create an organisation

        POST /api/v1/organisations
        """
        return self._client.call("POST", "/api/v1/organisations", body=body, headers={"Idempotency-Key": idempotency_key})

    def get_organisation(self, id: Any) -> Any:
        """One organisation

        GET /api/v1/organisations/{id}
        """
        return self._client.call("GET", f"/api/v1/organisations/{_in(id)}")

    def change_organisation(self, id: Any, body: Any, *, if_match: Any = None) -> Any:
        """Change the profile; absent fields do not change

        PATCH /api/v1/organisations/{id}
        """
        return self._client.call("PATCH", f"/api/v1/organisations/{_in(id)}", body=body, headers={"If-Match": if_match})

    def create_organisation_site(self, id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Add a site

        POST /api/v1/organisations/{id}/sites
        """
        return self._client.call("POST", f"/api/v1/organisations/{_in(id)}/sites", body=body, headers={"Idempotency-Key": idempotency_key})

    def remove_organisation_site(self, id: Any, site_id: Any) -> Any:
        """Remove a site without wallets

        DELETE /api/v1/organisations/{id}/sites/{siteId}
        """
        return self._client.call("DELETE", f"/api/v1/organisations/{_in(id)}/sites/{_in(site_id)}")

    def create_organisation_wallet(self, id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Bind a wallet to the organisation or to one of its sites

        POST /api/v1/organisations/{id}/wallets
        """
        return self._client.call("POST", f"/api/v1/organisations/{_in(id)}/wallets", body=body, headers={"Idempotency-Key": idempotency_key})

    def remove_organisation_wallet(self, id: Any, address: Any) -> Any:
        """Unbind a wallet that is not the wallet of a member

        DELETE /api/v1/organisations/{id}/wallets/{address}
        """
        return self._client.call("DELETE", f"/api/v1/organisations/{_in(id)}/wallets/{_in(address)}")

    def get_own_account(self) -> Any:
        """The account on chain for which your passkeys sign

        GET /api/v2/auth/account
        """
        return self._client.call("GET", "/api/v2/auth/account")

    def prepare_account_key(self, body: Any) -> Any:
        """Let another passkey of yours sign: what a passkey that signs already signs

        POST /api/v2/auth/account/keys/prepare
        """
        return self._client.call("POST", "/api/v2/auth/account/keys/prepare", body=body)

    def prepare_account_key_removal(self, body: Any) -> Any:
        """Let a key sign no longer; never the last one

        POST /api/v2/auth/account/keys/removal/prepare
        """
        return self._client.call("POST", "/api/v2/auth/account/keys/removal/prepare", body=body)

    def start_member_recovery(self, id: Any, *, idempotency_key: Any = None) -> Any:
        """Passkeys, sessions and wallet of the member sign in no longer; a link to a new passkey is mailed

        POST /api/v2/members/{id}/recovery
        """
        return self._client.call("POST", f"/api/v2/members/{_in(id)}/recovery", headers={"Idempotency-Key": idempotency_key})

    def prepare_member_recovery(self, id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Move the wallet to an account of the member's new passkeys: what to sign now, and after seven days

        POST /api/v2/members/{id}/recovery/prepare
        """
        return self._client.call("POST", f"/api/v2/members/{_in(id)}/recovery/prepare", body=body, headers={"Idempotency-Key": idempotency_key})

    def list_tenants(self, *, page: Any = None, limit: Any = None) -> Any:
        """Tenants by slug

        GET /api/v2/tenants
        """
        return self._client.call("GET", "/api/v2/tenants", query={"page": page, "limit": limit})

    def create_tenant(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """Create a tenant with its first administrator, and prepare the transaction that creates its contract; the registry's owner signs it

        POST /api/v2/tenants
        """
        return self._client.call("POST", "/api/v2/tenants", body=body, headers={"Idempotency-Key": idempotency_key})

    def get_tenant(self, id: Any) -> Any:
        """One tenant

        GET /api/v2/tenants/{id}
        """
        return self._client.call("GET", f"/api/v2/tenants/{_in(id)}")

    def prepare_tenant_contract(self, id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Prepare the transaction that creates the tenant's contract again, when it was lost

        POST /api/v2/tenants/{id}/contract/prepare
        """
        return self._client.call("POST", f"/api/v2/tenants/{_in(id)}/contract/prepare", body=body, headers={"Idempotency-Key": idempotency_key})

    def suspend_tenant(self, id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Refuse the tenant's members and keys, at once

        POST /api/v2/tenants/{id}/suspend
        """
        return self._client.call("POST", f"/api/v2/tenants/{_in(id)}/suspend", body=body, headers={"Idempotency-Key": idempotency_key})

    def change_tenant_tier(self, id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Change the tenant's tier of rates and quotas

        POST /api/v2/tenants/{id}/tier
        """
        return self._client.call("POST", f"/api/v2/tenants/{_in(id)}/tier", body=body, headers={"Idempotency-Key": idempotency_key})

    def resume_tenant(self, id: Any, *, idempotency_key: Any = None) -> Any:
        """Accept the members and keys of a suspended tenant again

        POST /api/v2/tenants/{id}/resume
        """
        return self._client.call("POST", f"/api/v2/tenants/{_in(id)}/resume", headers={"Idempotency-Key": idempotency_key})

    def get_audit(self, *, page: Any = None, limit: Any = None, action: Any = None, actor_id: Any = None, subject: Any = None, from_: Any = None, to: Any = None) -> Any:
        """Security events of the tenant, newest first

        GET /api/v1/audit
        """
        return self._client.call("GET", "/api/v1/audit", query={"page": page, "limit": limit, "action": action, "actorId": actor_id, "subject": subject, "from": from_, "to": to})

    def accept_invitation(self, body: Any) -> Any:
        """Set the first password by the one-time link; then log in

        POST /api/v2/auth/invitations/accept
        """
        return self._client.call("POST", "/api/v2/auth/invitations/accept", body=body)

    def check_liveness(self) -> Any:
        """Liveness of the process

        GET /health/live
        """
        return self._client.call("GET", "/health/live")

    def check_readiness(self) -> Any:
        """Which engines work; 503 only when no request can be answered

        GET /health/ready
        """
        return self._client.call("GET", "/health/ready")

    def list_documents(self, *, page: Any = None, limit: Any = None, sha256: Any = None, type: Any = None, number: Any = None) -> Any:
        """Stored documents that the caller may read, newest first

        GET /api/v1/documents
        """
        return self._client.call("GET", "/api/v1/documents", query={"page": page, "limit": limit, "sha256": sha256, "type": type, "number": number})

    def upload_document(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """Store a document that events refer to

        POST /api/v1/documents
        """
        return self._client.call("POST", "/api/v1/documents", body=body, headers={"Idempotency-Key": idempotency_key})

    def get_document(self, id: Any) -> Any:
        """What is known of a stored document

        GET /api/v1/documents/{id}
        """
        return self._client.call("GET", f"/api/v1/documents/{_in(id)}")

    def delete_document(self, id: Any) -> Any:
        """Erase a stored document for good

        DELETE /api/v1/documents/{id}
        """
        return self._client.call("DELETE", f"/api/v1/documents/{_in(id)}")

    def download_document(self, id: Any) -> Any:
        """The file, as it was uploaded

        GET /api/v1/documents/{id}/content
        """
        return self._client.call("GET", f"/api/v1/documents/{_in(id)}/content")

    def prepare_custody(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """Prepare an offer, acceptance, rejection or cancellation of 1 to 100 lots, whole or in parts

        POST /api/v1/custody/prepare
        """
        return self._client.call("POST", "/api/v1/custody/prepare", body=body, headers={"Idempotency-Key": idempotency_key})

    def get_custody_of_organisation(self, org_id: Any, *, page: Any = None, limit: Any = None, cursor: Any = None, format: Any = None, all: Any = None, direction: Any = None, status: Any = None) -> Any:
        """Transfers from and to an organisation's wallets, newest first; completed ones unless `status` says otherwise

        GET /api/v1/custody/org/{orgId}
        """
        return self._client.call("GET", f"/api/v1/custody/org/{_in(org_id)}", query={"page": page, "limit": limit, "cursor": cursor, "format": format, "all": all, "direction": direction, "status": status})

    def get_offers_of_organisation(self, org_id: Any, *, page: Any = None, limit: Any = None, cursor: Any = None, format: Any = None, all: Any = None, direction: Any = None) -> Any:
        """Open offers to and from an organisation, newest first

        GET /api/v1/custody/org/{orgId}/offers
        """
        return self._client.call("GET", f"/api/v1/custody/org/{_in(org_id)}/offers", query={"page": page, "limit": limit, "cursor": cursor, "format": format, "all": all, "direction": direction})

    def get_nft_custody(self, token_id: Any, *, page: Any = None, limit: Any = None) -> Any:
        """Custody history of a lot from its mint on, including offers that were rejected or cancelled

        GET /api/v1/nfts/{tokenId}/custody
        """
        return self._client.call("GET", f"/api/v1/nfts/{_in(token_id)}/custody", query={"page": page, "limit": limit})

    def prepare_nft_retirement(self, token_id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Prepare to take a lot, or a part of it, out of the chain of custody

        POST /api/v1/nfts/{tokenId}/retire/prepare
        """
        return self._client.call("POST", f"/api/v1/nfts/{_in(token_id)}/retire/prepare", body=body, headers={"Idempotency-Key": idempotency_key})

    def get_nft_recall_impact(self, token_id: Any, *, max_depth: Any = None, max_nodes: Any = None, as_of: Any = None, cursor: Any = None) -> Any:
        """What a recall of a lot affects: lots, actors and units

        GET /api/v1/nfts/{tokenId}/recall-impact
        """
        return self._client.call("GET", f"/api/v1/nfts/{_in(token_id)}/recall-impact", query={"maxDepth": max_depth, "maxNodes": max_nodes, "asOf": as_of, "cursor": cursor})

    def prepare_nft_recall(self, token_id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Prepare the recall of a lot, and of what it affects

        POST /api/v1/nfts/{tokenId}/recall/prepare
        """
        return self._client.call("POST", f"/api/v1/nfts/{_in(token_id)}/recall/prepare", body=body, headers={"Idempotency-Key": idempotency_key})

    def prepare_nft_recall_lift(self, token_id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Prepare to take a recall back

        POST /api/v1/nfts/{tokenId}/recall/lift/prepare
        """
        return self._client.call("POST", f"/api/v1/nfts/{_in(token_id)}/recall/lift/prepare", body=body, headers={"Idempotency-Key": idempotency_key})

    def list_recalls(self, *, page: Any = None, limit: Any = None, open: Any = None, token_id: Any = None, holder: Any = None, cursor: Any = None) -> Any:
        """Recalls that landed, newest first

        GET /api/v1/recalls
        """
        return self._client.call("GET", "/api/v1/recalls", query={"page": page, "limit": limit, "open": open, "tokenId": token_id, "holder": holder, "cursor": cursor})

    def get_recall(self, id: Any) -> Any:
        """One recall

        GET /api/v1/recalls/{id}
        """
        return self._client.call("GET", f"/api/v1/recalls/{_in(id)}")

    def hold_nft(self, token_id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Put a lot on hold, off chain: until it is released it can be retired, but not used or moved

        POST /api/v1/nfts/{tokenId}/hold
        """
        return self._client.call("POST", f"/api/v1/nfts/{_in(token_id)}/hold", body=body, headers={"Idempotency-Key": idempotency_key})

    def release_nft(self, token_id: Any, *, idempotency_key: Any = None) -> Any:
        """Release a lot from all its holds

        POST /api/v1/nfts/{tokenId}/release
        """
        return self._client.call("POST", f"/api/v1/nfts/{_in(token_id)}/release", headers={"Idempotency-Key": idempotency_key})

    def release_recall(self, id: Any, *, idempotency_key: Any = None) -> Any:
        """End all holds of a recall with propagation `hold`

        POST /api/v1/recalls/{id}/release
        """
        return self._client.call("POST", f"/api/v1/recalls/{_in(id)}/release", headers={"Idempotency-Key": idempotency_key})

    def list_recall_drills(self, *, page: Any = None, limit: Any = None) -> Any:
        """Mock recalls, newest first

        GET /api/v1/recall/drills
        """
        return self._client.call("GET", "/api/v1/recall/drills", query={"page": page, "limit": limit})

    def run_recall_drill(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """Run a mock recall of a lot, given or drawn at random, and keep the report

        POST /api/v1/recall/drills
        """
        return self._client.call("POST", "/api/v1/recall/drills", body=body, headers={"Idempotency-Key": idempotency_key})

    def get_recall_drill(self, id: Any, *, format: Any = None) -> Any:
        """One mock recall, as JSON or CSV

        GET /api/v1/recall/drills/{id}
        """
        return self._client.call("GET", f"/api/v1/recall/drills/{_in(id)}", query={"format": format})

    def list_acknowledgements(self, id: Any, *, page: Any = None, limit: Any = None) -> Any:
        """What holders did with the lots of a recall or a drill, and who has not answered

        GET /api/v1/recalls/{id}/acknowledgements
        """
        return self._client.call("GET", f"/api/v1/recalls/{_in(id)}/acknowledgements", query={"page": page, "limit": limit})

    def acknowledge_recall(self, id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Say what you did with recalled or affected lots that you hold; for a drill too

        POST /api/v1/recalls/{id}/acknowledgements
        """
        return self._client.call("POST", f"/api/v1/recalls/{_in(id)}/acknowledgements", body=body, headers={"Idempotency-Key": idempotency_key})

    def get_recall_report(self, id: Any) -> Any:
        """A recall for the auditor, as PDF: what was recalled and why, who holds it, what they answered and when

        GET /api/v1/recalls/{id}/report.pdf
        """
        return self._client.call("GET", f"/api/v1/recalls/{_in(id)}/report.pdf")

    def capture_epcis(self, body: Any, *, from_: Any = None, idempotency_key: Any = None) -> Any:
        """Prepare the events of an EPCIS 2.0 document

        POST /api/v1/epcis/capture
        """
        return self._client.call("POST", "/api/v1/epcis/capture", query={"from": from_}, body=body, headers={"Idempotency-Key": idempotency_key})

    def list_export_formats(self) -> Any:
        """The formats that a lot is exported in

        GET /api/v1/exports
        """
        return self._client.call("GET", "/api/v1/exports")

    def export_nft(self, token_id: Any, format: Any) -> Any:
        """Export a lot in a standard format

        GET /api/v1/nfts/{tokenId}/exports/{format}
        """
        return self._client.call("GET", f"/api/v1/nfts/{_in(token_id)}/exports/{_in(format)}")

    def read_vocabulary(self) -> Any:
        """The terms of exports beyond EPCIS, as a page or JSON-LD, by `Accept`

        GET /ns/trc
        """
        return self._client.call("GET", "/ns/trc")

    def read_document_types(self) -> Any:
        """What the document types of exports are, as a page or JSON-LD, by `Accept`

        GET /ns/btt
        """
        return self._client.call("GET", "/ns/btt")

    def open_document_by_name(self, tenant: Any, type: Any, number: Any) -> Any:
        """A document, by its name in exports

        GET /id/{tenant}/doc/{type}/{number}
        """
        return self._client.call("GET", f"/id/{_in(tenant)}/doc/{_in(type)}/{_in(number)}")

    def list_capture_jobs(self, tenant: Any) -> Any:
        """Capture jobs of your organisation, newest first

        GET /epcis/{tenant}/capture
        """
        return self._client.call("GET", f"/epcis/{_in(tenant)}/capture")

    def capture_epcis_document(self, tenant: Any, body: Any, *, gs1_capture_error_behaviour: Any = None, idempotency_key: Any = None) -> Any:
        """Capture an EPCIS document; what became of each event is in the job

        POST /epcis/{tenant}/capture
        """
        return self._client.call("POST", f"/epcis/{_in(tenant)}/capture", body=body, headers={"GS1-Capture-Error-Behaviour": gs1_capture_error_behaviour, "Idempotency-Key": idempotency_key})

    def query_epcis_events(self, tenant: Any, *, per_page: Any = None, next_page_token: Any = None) -> Any:
        """Events by the parameters of SimpleEventQuery, newest first

        GET /epcis/{tenant}/events
        """
        return self._client.call("GET", f"/epcis/{_in(tenant)}/events", query={"perPage": per_page, "nextPageToken": next_page_token})

    def capture_epcis_event(self, tenant: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Capture one event

        POST /epcis/{tenant}/events
        """
        return self._client.call("POST", f"/epcis/{_in(tenant)}/events", body=body, headers={"Idempotency-Key": idempotency_key})

    def read_capture_job(self, tenant: Any, capture_id: Any) -> Any:
        """What became of the events of a captured document, with the unsigned transactions that wait

        GET /epcis/{tenant}/capture/{captureId}
        """
        return self._client.call("GET", f"/epcis/{_in(tenant)}/capture/{_in(capture_id)}")

    def list_epcis_subscriptions(self, tenant: Any, query_name: Any) -> Any:
        """Subscriptions to a query, oldest first

        GET /epcis/{tenant}/queries/{queryName}/subscriptions
        """
        return self._client.call("GET", f"/epcis/{_in(tenant)}/queries/{_in(query_name)}/subscriptions")

    def subscribe_epcis_query(self, query_name: Any, tenant: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Send new events that a query finds to a URL, at once or by a schedule

        POST /epcis/{tenant}/queries/{queryName}/subscriptions
        """
        return self._client.call("POST", f"/epcis/{_in(tenant)}/queries/{_in(query_name)}/subscriptions", body=body, headers={"Idempotency-Key": idempotency_key})

    def read_epcis_subscription(self, id: Any, query_name: Any, tenant: Any) -> Any:
        """One subscription to a query

        GET /epcis/{tenant}/queries/{queryName}/subscriptions/{id}
        """
        return self._client.call("GET", f"/epcis/{_in(tenant)}/queries/{_in(query_name)}/subscriptions/{_in(id)}")

    def delete_epcis_subscription(self, id: Any, query_name: Any, tenant: Any) -> Any:
        """Delete a subscription, with its webhook

        DELETE /epcis/{tenant}/queries/{queryName}/subscriptions/{id}
        """
        return self._client.call("DELETE", f"/epcis/{_in(tenant)}/queries/{_in(query_name)}/subscriptions/{_in(id)}")

    def list_epcis_queries(self, tenant: Any) -> Any:
        """Queries with a name

        GET /epcis/{tenant}/queries
        """
        return self._client.call("GET", f"/epcis/{_in(tenant)}/queries")

    def define_epcis_query(self, tenant: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Give a SimpleEventQuery a name

        POST /epcis/{tenant}/queries
        """
        return self._client.call("POST", f"/epcis/{_in(tenant)}/queries", body=body, headers={"Idempotency-Key": idempotency_key})

    def read_epcis_query(self, tenant: Any, query_name: Any) -> Any:
        """One query with a name

        GET /epcis/{tenant}/queries/{queryName}
        """
        return self._client.call("GET", f"/epcis/{_in(tenant)}/queries/{_in(query_name)}")

    def delete_epcis_query(self, tenant: Any, query_name: Any) -> Any:
        """Delete a query with a name

        DELETE /epcis/{tenant}/queries/{queryName}
        """
        return self._client.call("DELETE", f"/epcis/{_in(tenant)}/queries/{_in(query_name)}")

    def run_epcis_query(self, query_name: Any, tenant: Any) -> Any:
        """The events of a query with a name

        GET /epcis/{tenant}/queries/{queryName}/events
        """
        return self._client.call("GET", f"/epcis/{_in(tenant)}/queries/{_in(query_name)}/events")

    def read_epcis_event(self, tenant: Any, event_id: Any) -> Any:
        """One event by its eventID

        GET /epcis/{tenant}/events/{eventId}
        """
        return self._client.call("GET", f"/epcis/{_in(tenant)}/events/{_in(event_id)}")

    def delete_epcis_event(self, tenant: Any, event_id: Any) -> Any:
        """Delete an event that is kept only

        DELETE /epcis/{tenant}/events/{eventId}
        """
        return self._client.call("DELETE", f"/epcis/{_in(tenant)}/events/{_in(event_id)}")

    def list_epcis_values(self, tenant: Any, collection: Any, *, per_page: Any = None, next_page_token: Any = None) -> Any:
        """Types, bizSteps, dispositions, things or places that events have

        GET /epcis/{tenant}/{collection}
        """
        return self._client.call("GET", f"/epcis/{_in(tenant)}/{_in(collection)}", query={"perPage": per_page, "nextPageToken": next_page_token})

    def read_epcis_value(self, value: Any, collection: Any, tenant: Any) -> Any:
        """What there is about one type, bizStep, disposition, thing or place: its events

        GET /epcis/{tenant}/{collection}/{value}
        """
        return self._client.call("GET", f"/epcis/{_in(tenant)}/{_in(collection)}/{_in(value)}")

    def query_epcis_events_of(self, value: Any, collection: Any, tenant: Any, *, per_page: Any = None, next_page_token: Any = None) -> Any:
        """Events with one type, bizStep, disposition, thing or place

        GET /epcis/{tenant}/{collection}/{value}/events
        """
        return self._client.call("GET", f"/epcis/{_in(tenant)}/{_in(collection)}/{_in(value)}/events", query={"perPage": per_page, "nextPageToken": next_page_token})

    def list_imports(self, *, page: Any = None, limit: Any = None) -> Any:
        """Imports of your organisation, newest first

        GET /api/v1/imports
        """
        return self._client.call("GET", "/api/v1/imports", query={"page": page, "limit": limit})

    def start_import(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """Send a file whose rows become events

        POST /api/v1/imports
        """
        return self._client.call("POST", "/api/v1/imports", body=body, headers={"Idempotency-Key": idempotency_key})

    def get_import(self, id: Any) -> Any:
        """How far an import is, its proposal, and its counts

        GET /api/v1/imports/{id}
        """
        return self._client.call("GET", f"/api/v1/imports/{_in(id)}")

    def delete_import(self, id: Any) -> Any:
        """Delete an import with its file; its events stay

        DELETE /api/v1/imports/{id}
        """
        return self._client.call("DELETE", f"/api/v1/imports/{_in(id)}")

    def list_import_problems(self, id: Any, *, page: Any = None, limit: Any = None) -> Any:
        """Rows with problems: the cell to blame, and what is wrong in plain words

        GET /api/v1/imports/{id}/problems
        """
        return self._client.call("GET", f"/api/v1/imports/{_in(id)}/problems", query={"page": page, "limit": limit})

    def list_imported_events(self, id: Any, *, page: Any = None, limit: Any = None) -> Any:
        """The prepared events, to sign, by row

        GET /api/v1/imports/{id}/events
        """
        return self._client.call("GET", f"/api/v1/imports/{_in(id)}/events", query={"page": page, "limit": limit})

    def download_marked_import(self, id: Any) -> Any:
        """The file with its problems: a last column says them, in a workbook the cells are marked; in XML comments before the events

        GET /api/v1/imports/{id}/file
        """
        return self._client.call("GET", f"/api/v1/imports/{_in(id)}/file")

    def check_import(self, id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Check every row against a mapping and the rules of the process; nothing is prepared

        POST /api/v1/imports/{id}/check
        """
        return self._client.call("POST", f"/api/v1/imports/{_in(id)}/check", body=body, headers={"Idempotency-Key": idempotency_key})

    def prepare_import(self, id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Prepare the events of the rows that were checked

        POST /api/v1/imports/{id}/prepare
        """
        return self._client.call("POST", f"/api/v1/imports/{_in(id)}/prepare", body=body, headers={"Idempotency-Key": idempotency_key})

    def cancel_import(self, id: Any, *, idempotency_key: Any = None) -> Any:
        """Stop an import at the next rows; what was prepared stays

        POST /api/v1/imports/{id}/cancel
        """
        return self._client.call("POST", f"/api/v1/imports/{_in(id)}/cancel", headers={"Idempotency-Key": idempotency_key})

    def resume_import(self, id: Any, *, idempotency_key: Any = None) -> Any:
        """Go on with what was cancelled or failed; what was prepared is not prepared again

        POST /api/v1/imports/{id}/resume
        """
        return self._client.call("POST", f"/api/v1/imports/{_in(id)}/resume", headers={"Idempotency-Key": idempotency_key})

    def list_import_mappings(self, *, page: Any = None, limit: Any = None, name: Any = None, partner: Any = None) -> Any:
        """Kept mappings, all versions

        GET /api/v1/import-mappings
        """
        return self._client.call("GET", "/api/v1/import-mappings", query={"page": page, "limit": limit, "name": name, "partner": partner})

    def keep_import_mapping(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """Keep a mapping for the files of a partner: the next version of its name

        POST /api/v1/import-mappings
        """
        return self._client.call("POST", "/api/v1/import-mappings", body=body, headers={"Idempotency-Key": idempotency_key})

    def get_import_mapping(self, id: Any) -> Any:
        """One version of a kept mapping

        GET /api/v1/import-mappings/{id}
        """
        return self._client.call("GET", f"/api/v1/import-mappings/{_in(id)}")

    def delete_import_mapping(self, id: Any) -> Any:
        """Delete one version of a kept mapping; its number is not used again

        DELETE /api/v1/import-mappings/{id}
        """
        return self._client.call("DELETE", f"/api/v1/import-mappings/{_in(id)}")

    def get_import_template(self, process_type: Any, *, format: Any = None) -> Any:
        """A spreadsheet with a column for each value of the events of a process, whose mapping is proposed without questions of names

        GET /api/v1/import-templates/{processType}
        """
        return self._client.call("GET", f"/api/v1/import-templates/{_in(process_type)}", query={"format": format})

    def open_passport(self, passport_id: Any, *, lang: Any = None, link_type: Any = None, if_none_match: Any = None) -> Any:
        """Passport of a lot, by its own id

        GET /p/{passportId}
        """
        return self._client.call("GET", f"/p/{_in(passport_id)}", query={"lang": lang, "linkType": link_type}, headers={"If-None-Match": if_none_match})

    def open_lot_by_name(self, tenant: Any, code: Any, *, link_type: Any = None, if_none_match: Any = None) -> Any:
        """A lot with a code of the tenant's own, by its name in exports

        GET /id/{tenant}/lot/{code}
        """
        return self._client.call("GET", f"/id/{_in(tenant)}/lot/{_in(code)}", query={"linkType": link_type}, headers={"If-None-Match": if_none_match})

    def read_dppby_id(self, dpp_id: Any, *, representation: Any = None, if_none_match: Any = None, x_dpp_grant: Any = None) -> Any:
        """ReadDPPById: a passport (EN 18222 clause 4.2)

        GET /v1/dpps/{dppId}
        """
        return self._client.call("GET", f"/v1/dpps/{_in(dpp_id)}", query={"representation": representation}, headers={"If-None-Match": if_none_match, "X-DPP-Grant": x_dpp_grant})

    def update_dppby_id(self, dpp_id: Any, body: Any, *, representation: Any = None) -> Any:
        """UpdateDPPById: prepare a correction of elements (EN 18222 clause 4.7)

        PATCH /v1/dpps/{dppId}
        """
        return self._client.call("PATCH", f"/v1/dpps/{_in(dpp_id)}", query={"representation": representation}, body=body)

    def delete_dppby_id(self, dpp_id: Any) -> Any:
        """DeleteDPPById: withdraw a passport; its archive stays (EN 18222 clause 4.8)

        DELETE /v1/dpps/{dppId}
        """
        return self._client.call("DELETE", f"/v1/dpps/{_in(dpp_id)}")

    def read_dppby_product_id(self, product_id: Any, *, representation: Any = None, if_none_match: Any = None, x_dpp_grant: Any = None) -> Any:
        """ReadDPPByProductId: the passport of a product, a lot or an item (EN 18222 clause 4.3)

        GET /v1/dppsByProductId/{productId}
        """
        return self._client.call("GET", f"/v1/dppsByProductId/{_in(product_id)}", query={"representation": representation}, headers={"If-None-Match": if_none_match, "X-DPP-Grant": x_dpp_grant})

    def read_dppversion_by_id_and_date(self, dpp_id: Any, *, representation: Any = None, date: Any, if_none_match: Any = None) -> Any:
        """ReadDPPVersionByIdAndDate: the version that was current at a time (EN 18222 clause 4.4)

        GET /v1/dppsByIdAndDate/{dppId}
        """
        return self._client.call("GET", f"/v1/dppsByIdAndDate/{_in(dpp_id)}", query={"representation": representation, "date": date}, headers={"If-None-Match": if_none_match})

    def read_dppids_by_product_ids(self, body: Any, *, limit: Any = None, cursor: Any = None) -> Any:
        """ReadDPPIdsByProductIds: which passports products have (EN 18222 clause 4.5)

        POST /v1/dppsByProductIds
        """
        return self._client.call("POST", "/v1/dppsByProductIds", query={"limit": limit, "cursor": cursor}, body=body)

    def read_data_element(self, dpp_id: Any, element_id_path: Any, *, representation: Any = None, if_none_match: Any = None, x_dpp_grant: Any = None) -> Any:
        """ReadDataElement: one data element, or a collection of them (EN 18222 clause 6.2)

        GET /v1/dpps/{dppId}/elements/{elementIdPath}
        """
        return self._client.call("GET", f"/v1/dpps/{_in(dpp_id)}/elements/{_in(element_id_path)}", query={"representation": representation}, headers={"If-None-Match": if_none_match, "X-DPP-Grant": x_dpp_grant})

    def update_data_element(self, dpp_id: Any, element_id_path: Any, body: Any, *, representation: Any = None) -> Any:
        """UpdateDataElement: prepare a correction of one element (EN 18222 clause 6.3)

        PATCH /v1/dpps/{dppId}/elements/{elementIdPath}
        """
        return self._client.call("PATCH", f"/v1/dpps/{_in(dpp_id)}/elements/{_in(element_id_path)}", query={"representation": representation}, body=body)

    def create_dpp(self, body: Any, *, representation: Any = None, idempotency_key: Any = None) -> Any:
        """CreateDPP: prepare the event that makes the goods (EN 18222 clause 4.6)

        POST /v1/dpps
        """
        return self._client.call("POST", "/v1/dpps", query={"representation": representation}, body=body, headers={"Idempotency-Key": idempotency_key})

    def get_passport_bundle(self, passport_id: Any, *, key: Any = None, until: Any = None, if_none_match: Any = None) -> Any:
        """Evidence of a passport: one file that can be checked without the service

        GET /p/{passportId}/bundle
        """
        return self._client.call("GET", f"/p/{_in(passport_id)}/bundle", query={"key": key, "until": until}, headers={"If-None-Match": if_none_match})

    def create_passport_bundle_link(self, passport_id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """A link that opens the whole evidence of a passport for a time

        POST /api/v1/passports/{passportId}/bundle-link
        """
        return self._client.call("POST", f"/api/v1/passports/{_in(passport_id)}/bundle-link", body=body, headers={"Idempotency-Key": idempotency_key})

    def open_verifier(self) -> Any:
        """A page that checks an evidence file in the browser, also when it was saved

        GET /verify
        """
        return self._client.call("GET", "/verify")

    def get_passport_label_svg(self, passport_id: Any, *, symbol: Any = None, if_none_match: Any = None) -> Any:
        """Print label of a lot with a code, as SVG

        GET /p/{passportId}/label.svg
        """
        return self._client.call("GET", f"/p/{_in(passport_id)}/label.svg", query={"symbol": symbol}, headers={"If-None-Match": if_none_match})

    def get_passport_label_pdf(self, passport_id: Any, *, symbol: Any = None, sheet: Any = None, if_none_match: Any = None) -> Any:
        """The same label as PDF, one or a sheet full of it

        GET /p/{passportId}/label.pdf
        """
        return self._client.call("GET", f"/p/{_in(passport_id)}/label.pdf", query={"symbol": symbol, "sheet": sheet}, headers={"If-None-Match": if_none_match})

    def get_passport_settings(self) -> Any:
        """Whether and how the tenant shows passports

        GET /api/v1/passport-settings
        """
        return self._client.call("GET", "/api/v1/passport-settings")

    def change_passport_settings(self, body: Any, *, if_match: Any = None) -> Any:
        """Turn passports on or off; what is absent stays as it is

        PATCH /api/v1/passport-settings
        """
        return self._client.call("PATCH", "/api/v1/passport-settings", body=body, headers={"If-Match": if_match})

    def list_passports(self, *, page: Any = None, limit: Any = None) -> Any:
        """Passports of the tenant, newest first

        GET /api/v1/passports
        """
        return self._client.call("GET", "/api/v1/passports", query={"page": page, "limit": limit})

    def get_passport(self, passport_id: Any) -> Any:
        """One passport

        GET /api/v1/passports/{passportId}
        """
        return self._client.call("GET", f"/api/v1/passports/{_in(passport_id)}")

    def withdraw_passport(self, passport_id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Withdraw a passport: its address answers 410 from now on

        POST /api/v1/passports/{passportId}/withdraw
        """
        return self._client.call("POST", f"/api/v1/passports/{_in(passport_id)}/withdraw", body=body, headers={"Idempotency-Key": idempotency_key})

    def reinstate_passport(self, passport_id: Any, *, idempotency_key: Any = None) -> Any:
        """Show a withdrawn passport again

        POST /api/v1/passports/{passportId}/reinstate
        """
        return self._client.call("POST", f"/api/v1/passports/{_in(passport_id)}/reinstate", headers={"Idempotency-Key": idempotency_key})

    def preview_passport(self, token_id: Any) -> Any:
        """What the public reads of a lot, or would read: a draft where no passport is shown

        GET /api/v1/nfts/{tokenId}/passport
        """
        return self._client.call("GET", f"/api/v1/nfts/{_in(token_id)}/passport")

    def issue_passport(self, token_id: Any, *, idempotency_key: Any = None) -> Any:
        """Issue the passport of a lot now, or find it; most passports are issued automatically

        POST /api/v1/nfts/{tokenId}/passport
        """
        return self._client.call("POST", f"/api/v1/nfts/{_in(token_id)}/passport", headers={"Idempotency-Key": idempotency_key})

    def get_passport_versions(self, passport_id: Any, *, page: Any = None, limit: Any = None) -> Any:
        """Every version of a passport, newest first: when it began, its hash, and what changed

        GET /api/v1/passports/{passportId}/versions
        """
        return self._client.call("GET", f"/api/v1/passports/{_in(passport_id)}/versions", query={"page": page, "limit": limit})

    def list_passport_grants(self, passport_id: Any, *, page: Any = None, limit: Any = None) -> Any:
        """Who outside of the tenant may read more of a passport than everybody, newest first

        GET /api/v1/passports/{passportId}/grants
        """
        return self._client.call("GET", f"/api/v1/passports/{_in(passport_id)}/grants", query={"page": page, "limit": limit})

    def create_passport_grant(self, passport_id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Let a person or an organisation outside of the tenant read more of a passport, by a one-time link or a key

        POST /api/v1/passports/{passportId}/grants
        """
        return self._client.call("POST", f"/api/v1/passports/{_in(passport_id)}/grants", body=body, headers={"Idempotency-Key": idempotency_key})

    def read_passport_grant(self, passport_id: Any, grant_id: Any) -> Any:
        """One grant

        GET /api/v1/passports/{passportId}/grants/{grantId}
        """
        return self._client.call("GET", f"/api/v1/passports/{_in(passport_id)}/grants/{_in(grant_id)}")

    def withdraw_passport_grant(self, passport_id: Any, grant_id: Any) -> Any:
        """Withdraw a grant: from now on it opens nothing

        DELETE /api/v1/passports/{passportId}/grants/{grantId}
        """
        return self._client.call("DELETE", f"/api/v1/passports/{_in(passport_id)}/grants/{_in(grant_id)}")

    def open_granted_passport(self, passport_id: Any, *, open: Any = None, grant: Any = None) -> Any:
        """What a grant opens of a passport

        GET /p/{passportId}/granted
        """
        return self._client.call("GET", f"/p/{_in(passport_id)}/granted", query={"open": open, "grant": grant})

    def list_links(self, *, page: Any = None, limit: Any = None, anchor: Any = None) -> Any:
        """Links of the tenant's own, to which its Digital Links lead where they do not lead to passports

        GET /api/v1/links
        """
        return self._client.call("GET", "/api/v1/links", query={"page": page, "limit": limit, "anchor": anchor})

    def create_link(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """Add a link to a key of GS1: a GTIN, a lot or item of it, a place, a party, an asset

        POST /api/v1/links
        """
        return self._client.call("POST", "/api/v1/links", body=body, headers={"Idempotency-Key": idempotency_key})

    def get_link(self, link_id: Any) -> Any:
        """One link

        GET /api/v1/links/{linkId}
        """
        return self._client.call("GET", f"/api/v1/links/{_in(link_id)}")

    def change_link(self, link_id: Any, body: Any, *, if_match: Any = None) -> Any:
        """Change a link; what is absent stays as it is

        PATCH /api/v1/links/{linkId}
        """
        return self._client.call("PATCH", f"/api/v1/links/{_in(link_id)}", body=body, headers={"If-Match": if_match})

    def remove_link(self, link_id: Any, *, if_match: Any = None) -> Any:
        """Delete a link

        DELETE /api/v1/links/{linkId}
        """
        return self._client.call("DELETE", f"/api/v1/links/{_in(link_id)}", headers={"If-Match": if_match})

    def describe_resolver(self) -> Any:
        """What this resolver of GS1 Digital Links supports

        GET /.well-known/gs1resolver
        """
        return self._client.call("GET", "/.well-known/gs1resolver")

    def open_passport_events(self, passport_id: Any) -> Any:
        """The events behind a passport, in EPCIS

        GET /p/{passportId}/events
        """
        return self._client.call("GET", f"/p/{_in(passport_id)}/events")

    def resolve_digital_link(self, path: Any, *, tenant: Any = None, link_type: Any = None) -> Any:
        """Resolve a GS1 Digital Link of any key: it leads to a passport, or to a link of a tenant

        GET /{path}
        """
        return self._client.call("GET", f"/{_in(path)}", query={"tenant": tenant, "linkType": link_type})

    def read_registry_settings(self) -> Any:
        """Where and with which certificate passports are registered

        GET /api/v1/registry-settings
        """
        return self._client.call("GET", "/api/v1/registry-settings")

    def change_registry_settings(self, body: Any) -> Any:
        """Register the passports of the tenant, with a seal of its own

        PUT /api/v1/registry-settings
        """
        return self._client.call("PUT", "/api/v1/registry-settings", body=body)

    def remove_registry_settings(self) -> Any:
        """Register nothing from now on, and forget the key of the seal

        DELETE /api/v1/registry-settings
        """
        return self._client.call("DELETE", "/api/v1/registry-settings")

    def list_registrations(self, *, page: Any = None, limit: Any = None, state: Any = None, passport_id: Any = None) -> Any:
        """Registration entries of passports, newest first: waiting, registered, or refused with the reason

        GET /api/v1/registrations
        """
        return self._client.call("GET", "/api/v1/registrations", query={"page": page, "limit": limit, "state": state, "passportId": passport_id})

    def read_registration_batch(self) -> Any:
        """The entries that wait, with their seals, as one file

        GET /api/v1/registrations/batch
        """
        return self._client.call("GET", "/api/v1/registrations/batch")

    def settle_registrations(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """What a registry said of the entries of a batch file

        POST /api/v1/registrations/outcomes
        """
        return self._client.call("POST", "/api/v1/registrations/outcomes", body=body, headers={"Idempotency-Key": idempotency_key})

    def acknowledge_alert(self, alert_id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Acknowledge an alert, and mute it until `muteUntil` if given

        POST /api/v1/reports/alerts/{alertId}/ack
        """
        return self._client.call("POST", f"/api/v1/reports/alerts/{_in(alert_id)}/ack", body=body, headers={"Idempotency-Key": idempotency_key})

    def withdraw_acknowledgement(self, alert_id: Any) -> Any:
        """Withdraw the acknowledgement of an alert; it is unmuted too

        DELETE /api/v1/reports/alerts/{alertId}/ack
        """
        return self._client.call("DELETE", f"/api/v1/reports/alerts/{_in(alert_id)}/ack")

    def get_alert_limits(self) -> Any:
        """The limits of alerts

        GET /api/v1/reports/alerts/limits
        """
        return self._client.call("GET", "/api/v1/reports/alerts/limits")

    def change_alert_limits(self, body: Any, *, if_match: Any = None) -> Any:
        """Change limits; everything is evaluated again

        PATCH /api/v1/reports/alerts/limits
        """
        return self._client.call("PATCH", "/api/v1/reports/alerts/limits", body=body, headers={"If-Match": if_match})

    def list_notices(self, *, page: Any = None, limit: Any = None, unread: Any = None) -> Any:
        """Your notices, newest first, and how many are not read

        GET /api/v1/notices
        """
        return self._client.call("GET", "/api/v1/notices", query={"page": page, "limit": limit, "unread": unread})

    def read_notices(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """Mark notices as read

        POST /api/v1/notices/read
        """
        return self._client.call("POST", "/api/v1/notices/read", body=body, headers={"Idempotency-Key": idempotency_key})

    def list_notice_choices(self) -> Any:
        """Where you want the notices of each topic

        GET /api/v1/notices/choices
        """
        return self._client.call("GET", "/api/v1/notices/choices")

    def choose_notices(self, topic: Any, body: Any) -> Any:
        """Say whether and where you want the notices of a topic

        PUT /api/v1/notices/choices/{topic}
        """
        return self._client.call("PUT", f"/api/v1/notices/choices/{_in(topic)}", body=body)

    def ask_to_unsubscribe(self, *, token: Any = None) -> Any:
        """The page behind the link of a mail, with a button that ends such mails

        GET /notices/off
        """
        return self._client.call("GET", "/notices/off", query={"token": token})

    def unsubscribe(self, body: Any = None, *, token: Any = None) -> Any:
        """End such mails by the link of one, at one click (RFC 8058)

        POST /notices/off
        """
        return self._client.call("POST", "/notices/off", query={"token": token}, body=body)

    def search(self, *, q: Any, limit: Any = None) -> Any:
        """Find lots, products, companies and documents by anything that a label, a document or a caller says

        GET /api/v1/search
        """
        return self._client.call("GET", "/api/v1/search", query={"q": q, "limit": limit})

    def get_alerts_report(self, *, from_: Any = None, to: Any = None, org_id: Any = None, limit: Any = None, cursor: Any = None, format: Any = None, severity: Any = None, type: Any = None, muted: Any = None) -> Any:
        """Alerts by rules, a health score, and insights

        GET /api/v1/reports/alerts
        """
        return self._client.call("GET", "/api/v1/reports/alerts", query={"from": from_, "to": to, "orgId": org_id, "limit": limit, "cursor": cursor, "format": format, "severity": severity, "type": type, "muted": muted})

    def get_data_reference_report(self, *, from_: Any = None, to: Any = None, org_id: Any = None, limit: Any = None, cursor: Any = None, format: Any = None, kind: Any = None, status: Any = None, refresh: Any = None) -> Any:
        """Whether the targets of records exist and equal the record: stored content, chain, documents, identifiers

        GET /api/v1/reports/data-reference
        """
        return self._client.call("GET", "/api/v1/reports/data-reference", query={"from": from_, "to": to, "orgId": org_id, "limit": limit, "cursor": cursor, "format": format, "kind": kind, "status": status, "refresh": refresh})

    def get_documents_report(self, *, from_: Any = None, to: Any = None, org_id: Any = None, limit: Any = None, cursor: Any = None, format: Any = None, document: Any = None) -> Any:
        """Documents that events refer to: validity, verification, and missing documents

        GET /api/v1/reports/documents
        """
        return self._client.call("GET", "/api/v1/reports/documents", query={"from": from_, "to": to, "orgId": org_id, "limit": limit, "cursor": cursor, "format": format, "document": document})

    def get_fsma204_report(self, *, from_: Any = None, to: Any = None, org_id: Any = None, limit: Any = None, cursor: Any = None, format: Any = None, tlc: Any = None) -> Any:
        """FSMA 204 sortable spreadsheet (21 CFR 1.1455): one row per event and lot

        GET /api/v1/reports/fsma204
        """
        return self._client.call("GET", "/api/v1/reports/fsma204", query={"from": from_, "to": to, "orgId": org_id, "limit": limit, "cursor": cursor, "format": format, "tlc": tlc})

    def get_inventory_report(self, *, from_: Any = None, to: Any = None, org_id: Any = None, limit: Any = None, cursor: Any = None, format: Any = None) -> Any:
        """Lots in stock, by place and custodian

        GET /api/v1/reports/inventory
        """
        return self._client.call("GET", "/api/v1/reports/inventory", query={"from": from_, "to": to, "orgId": org_id, "limit": limit, "cursor": cursor, "format": format})

    def get_places_report(self, *, from_: Any = None, to: Any = None, org_id: Any = None, limit: Any = None, cursor: Any = None, format: Any = None) -> Any:
        """Sites, plots of land and other places, with their positions

        GET /api/v1/reports/places
        """
        return self._client.call("GET", "/api/v1/reports/places", query={"from": from_, "to": to, "orgId": org_id, "limit": limit, "cursor": cursor, "format": format})

    def get_sponsorship_report(self, *, from_: Any = None, to: Any = None, org_id: Any = None, limit: Any = None, cursor: Any = None, format: Any = None) -> Any:
        """What the sponsor sent and paid for members who sign with passkeys

        GET /api/v1/reports/sponsorship
        """
        return self._client.call("GET", "/api/v1/reports/sponsorship", query={"from": from_, "to": to, "orgId": org_id, "limit": limit, "cursor": cursor, "format": format})

    def get_suppliers_report(self, *, from_: Any = None, to: Any = None, org_id: Any = None, limit: Any = None, cursor: Any = None, format: Any = None) -> Any:
        """How well each organisation records, delivers and documents

        GET /api/v1/reports/suppliers
        """
        return self._client.call("GET", "/api/v1/reports/suppliers", query={"from": from_, "to": to, "orgId": org_id, "limit": limit, "cursor": cursor, "format": format})

    def get_suppliers_report_of_organisation(self, org_id: Any, *, from_: Any = None, to: Any = None, org_id_: Any = None, limit: Any = None, cursor: Any = None, format: Any = None) -> Any:
        """How well each organisation records, delivers and documents: one organisation

        GET /api/v1/reports/suppliers/{orgId}
        """
        return self._client.call("GET", f"/api/v1/reports/suppliers/{_in(org_id)}", query={"from": from_, "to": to, "orgId": org_id_, "limit": limit, "cursor": cursor, "format": format})

    def get_trends_report(self, *, from_: Any = None, to: Any = None, org_id: Any = None, limit: Any = None, cursor: Any = None, format: Any = None, interval: Any = None) -> Any:
        """What was recorded, moved and recalled over time, the newest first

        GET /api/v1/reports/trends
        """
        return self._client.call("GET", "/api/v1/reports/trends", query={"from": from_, "to": to, "orgId": org_id, "limit": limit, "cursor": cursor, "format": format, "interval": interval})

    def get_yield_report(self, *, from_: Any = None, to: Any = None, org_id: Any = None, limit: Any = None, cursor: Any = None, format: Any = None) -> Any:
        """Yield of each process: output by input, and what is unexplained

        GET /api/v1/reports/yield
        """
        return self._client.call("GET", "/api/v1/reports/yield", query={"from": from_, "to": to, "orgId": org_id, "limit": limit, "cursor": cursor, "format": format})

    def list_topics(self) -> Any:
        """Topics with the JSON Schema of their bodies and an example of each

        GET /api/v1/webhooks/topics
        """
        return self._client.call("GET", "/api/v1/webhooks/topics")

    def list_webhooks(self) -> Any:
        """Subscriptions of the tenant

        GET /api/v1/webhooks
        """
        return self._client.call("GET", "/api/v1/webhooks")

    def create_webhook(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """Subscribe a URL to topics; the answer shows the signing secret once

        POST /api/v1/webhooks
        """
        return self._client.call("POST", "/api/v1/webhooks", body=body, headers={"Idempotency-Key": idempotency_key})

    def get_webhook(self, id: Any) -> Any:
        """One subscription

        GET /api/v1/webhooks/{id}
        """
        return self._client.call("GET", f"/api/v1/webhooks/{_in(id)}")

    def change_webhook(self, id: Any, body: Any, *, if_match: Any = None) -> Any:
        """Change URL, topics or activity

        PATCH /api/v1/webhooks/{id}
        """
        return self._client.call("PATCH", f"/api/v1/webhooks/{_in(id)}", body=body, headers={"If-Match": if_match})

    def remove_webhook(self, id: Any, *, if_match: Any = None) -> Any:
        """Delete a subscription; its deliveries stay readable

        DELETE /api/v1/webhooks/{id}
        """
        return self._client.call("DELETE", f"/api/v1/webhooks/{_in(id)}", headers={"If-Match": if_match})

    def test_webhook(self, id: Any, *, idempotency_key: Any = None) -> Any:
        """Send a `webhook.test` to this subscription alone

        POST /api/v1/webhooks/{id}/test
        """
        return self._client.call("POST", f"/api/v1/webhooks/{_in(id)}/test", headers={"Idempotency-Key": idempotency_key})

    def rotate_webhook_secret(self, id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """A new signing secret; the old one stays valid for the grace period (a day by default)

        POST /api/v1/webhooks/{id}/rotate-secret
        """
        return self._client.call("POST", f"/api/v1/webhooks/{_in(id)}/rotate-secret", body=body, headers={"Idempotency-Key": idempotency_key})

    def resume_webhook(self, id: Any, *, idempotency_key: Any = None) -> Any:
        """End a pause by the service; what it held back is sent

        POST /api/v1/webhooks/{id}/resume
        """
        return self._client.call("POST", f"/api/v1/webhooks/{_in(id)}/resume", headers={"Idempotency-Key": idempotency_key})

    def list_webhook_deliveries(self, id: Any, *, event: Any = None, status: Any = None, cursor: Any = None) -> Any:
        """The last 100 deliveries, newest first; older ones by the link `next`

        GET /api/v1/webhooks/{id}/deliveries
        """
        return self._client.call("GET", f"/api/v1/webhooks/{_in(id)}/deliveries", query={"event": event, "status": status, "cursor": cursor})

    def get_delivery_request(self, id: Any, delivery_id: Any) -> Any:
        """What a delivery sends: address, headers and the exact body

        GET /api/v1/webhooks/{id}/deliveries/{deliveryId}/request
        """
        return self._client.call("GET", f"/api/v1/webhooks/{_in(id)}/deliveries/{_in(delivery_id)}/request")

    def resend_webhook_delivery(self, id: Any, delivery_id: Any, *, idempotency_key: Any = None) -> Any:
        """Send one delivery again: same id, same bytes

        POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/resend
        """
        return self._client.call("POST", f"/api/v1/webhooks/{_in(id)}/deliveries/{_in(delivery_id)}/resend", headers={"Idempotency-Key": idempotency_key})

    def recover_webhook(self, id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Send all failed deliveries since a time again

        POST /api/v1/webhooks/{id}/recover
        """
        return self._client.call("POST", f"/api/v1/webhooks/{_in(id)}/recover", body=body, headers={"Idempotency-Key": idempotency_key})

    def list_consumers(self) -> Any:
        """Your consumers and how far each is behind; an administrator sees those of all

        GET /api/v1/changes/consumers
        """
        return self._client.call("GET", "/api/v1/changes/consumers")

    def get_consumer(self, name: Any) -> Any:
        """One of your consumers

        GET /api/v1/changes/consumers/{name}
        """
        return self._client.call("GET", f"/api/v1/changes/consumers/{_in(name)}")

    def put_consumer(self, name: Any, body: Any) -> Any:
        """Make a consumer, or change its topics or its place

        PUT /api/v1/changes/consumers/{name}
        """
        return self._client.call("PUT", f"/api/v1/changes/consumers/{_in(name)}", body=body)

    def delete_consumer(self, name: Any, *, owner_id: Any = None) -> Any:
        """Delete a consumer

        DELETE /api/v1/changes/consumers/{name}
        """
        return self._client.call("DELETE", f"/api/v1/changes/consumers/{_in(name)}", query={"ownerId": owner_id})

    def acknowledge_changes(self, name: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Say how far you have processed the changes; the place never goes back

        POST /api/v1/changes/consumers/{name}/acknowledge
        """
        return self._client.call("POST", f"/api/v1/changes/consumers/{_in(name)}/acknowledge", body=body, headers={"Idempotency-Key": idempotency_key})

    def list_changes(self, *, after: Any = None, topics: Any = None, wait: Any = None, limit: Any = None, consumer: Any = None) -> Any:
        """What has become final, in order and each once, as far as you may read it

        GET /api/v1/changes
        """
        return self._client.call("GET", "/api/v1/changes", query={"after": after, "topics": topics, "wait": wait, "limit": limit, "consumer": consumer})

    def validate_event(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """Say what is wrong with an event, or worth knowing about it; nothing is stored

        POST /api/v1/events/validate
        """
        return self._client.call("POST", "/api/v1/events/validate", body=body, headers={"Idempotency-Key": idempotency_key})

    def prepare_event(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """Validate an event, store its canonical metadata and get the unsigned transaction

        POST /api/v1/events/prepare
        """
        return self._client.call("POST", "/api/v1/events/prepare", body=body, headers={"Idempotency-Key": idempotency_key})

    def prepare_event_batch(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """Prepare up to 100 events at once: one answer an item, and a bad one does not spoil the others

        POST /api/v1/events/prepare/batch
        """
        return self._client.call("POST", "/api/v1/events/prepare/batch", body=body, headers={"Idempotency-Key": idempotency_key})

    def get_event(self, id: Any, *, format: Any = None) -> Any:
        """Get one event

        GET /api/v1/events/{id}
        """
        return self._client.call("GET", f"/api/v1/events/{_in(id)}", query={"format": format})

    def withdraw_event(self, id: Any) -> Any:
        """Withdraw a prepared event; one that has been sent or has landed stays

        DELETE /api/v1/events/{id}
        """
        return self._client.call("DELETE", f"/api/v1/events/{_in(id)}")

    def prepare_event_void(self, id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Declare an event wrong and undo it: outputs are voided, inputs get back what the event took

        POST /api/v1/events/{id}/void/prepare
        """
        return self._client.call("POST", f"/api/v1/events/{_in(id)}/void/prepare", body=body, headers={"Idempotency-Key": idempotency_key})

    def prepare_event_supersede(self, id: Any, body: Any, *, idempotency_key: Any = None) -> Any:
        """Correct an event's content; what it did to lots is kept

        POST /api/v1/events/{id}/supersede/prepare
        """
        return self._client.call("POST", f"/api/v1/events/{_in(id)}/supersede/prepare", body=body, headers={"Idempotency-Key": idempotency_key})

    def get_event_content(self, id: Any, *, if_none_match: Any = None) -> Any:
        """The stored bytes, exactly as they were hashed: canonical JSON (RFC 8785). What is sealed in them stays sealed

        GET /api/v1/events/{id}/content
        """
        return self._client.call("GET", f"/api/v1/events/{_in(id)}/content", headers={"If-None-Match": if_none_match})

    def get_event_content_opened(self, id: Any) -> Any:
        """The stored bytes, and what of their sealed values the caller may read

        GET /api/v1/events/{id}/content/opened
        """
        return self._client.call("GET", f"/api/v1/events/{_in(id)}/content/opened")

    def disclose_values(self, id: Any, *, pointers: Any = None) -> Any:
        """Single sealed values with their proofs: a buyer who gets them can check these values, and reads no other

        GET /api/v1/events/{id}/disclosures
        """
        return self._client.call("GET", f"/api/v1/events/{_in(id)}/disclosures", query={"pointers": pointers})

    def verify_event(self, id: Any) -> Any:
        """Ask store and chain again whether bytes, CID, data hash, chain and record belong together

        GET /api/v1/events/{id}/verify
        """
        return self._client.call("GET", f"/api/v1/events/{_in(id)}/verify")

    def list_process_maps(self, *, page: Any = None, limit: Any = None) -> Any:
        """List the tenant's process maps, each in its newest version

        GET /api/v1/process-maps
        """
        return self._client.call("GET", "/api/v1/process-maps", query={"page": page, "limit": limit})

    def publish_process_map(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """Publish a version of a process map. It never changes; the same document again has no effect

        POST /api/v1/process-maps
        """
        return self._client.call("POST", "/api/v1/process-maps", body=body, headers={"Idempotency-Key": idempotency_key})

    def get_process_map(self, name: Any, *, version: Any = None, if_none_match: Any = None) -> Any:
        """Get one process map with its document

        GET /api/v1/process-maps/{name}
        """
        return self._client.call("GET", f"/api/v1/process-maps/{_in(name)}", query={"version": version}, headers={"If-None-Match": if_none_match})

    def validate_process_map(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """Check a process map as publishing would; nothing is published

        POST /api/v1/process-maps/validate
        """
        return self._client.call("POST", "/api/v1/process-maps/validate", body=body, headers={"Idempotency-Key": idempotency_key})

    def list_process_map_templates(self) -> Any:
        """Process maps to start from, with their documents

        GET /api/v1/process-map-templates
        """
        return self._client.call("GET", "/api/v1/process-map-templates")

    def try_process_map(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """Check values against a process of a map before it is published; nothing is stored

        POST /api/v1/process-maps/try
        """
        return self._client.call("POST", "/api/v1/process-maps/try", body=body, headers={"Idempotency-Key": idempotency_key})

    def get_rules(self) -> Any:
        """What the tenant refuses in its events beyond what everybody refuses

        GET /api/v1/rules
        """
        return self._client.call("GET", "/api/v1/rules")

    def change_rules(self, body: Any, *, if_match: Any = None) -> Any:
        """Change it; what is absent stays as it is

        PATCH /api/v1/rules
        """
        return self._client.call("PATCH", "/api/v1/rules", body=body, headers={"If-Match": if_match})

    def erase_values(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """Erase values for good: of one event (`eventId` with `pointers` or `classes`), or of a person (`subject`)

        POST /api/v1/privacy/erasures
        """
        return self._client.call("POST", "/api/v1/privacy/erasures", body=body, headers={"Idempotency-Key": idempotency_key})

    def find_subject(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """What is held of a person: where, and not what

        POST /api/v1/privacy/subjects
        """
        return self._client.call("POST", "/api/v1/privacy/subjects", body=body, headers={"Idempotency-Key": idempotency_key})

    def export_subject(self, body: Any) -> Any:
        """What is held of a person, with the values: for the person

        POST /api/v1/privacy/export
        """
        return self._client.call("POST", "/api/v1/privacy/export", body=body)

    def list_nfts(self, *, page: Any = None, limit: Any = None, cursor: Any = None, format: Any = None, all: Any = None, status: Any = None, asset_type: Any = None, custodian: Any = None, org_id: Any = None, tlc: Any = None, gtin: Any = None, serial: Any = None, process_map: Any = None, created_from: Any = None, created_to: Any = None, expiring_before: Any = None, recalled: Any = None, sort: Any = None, as_of: Any = None) -> Any:
        """List lots: newest first, by code where `tlc` is given, or by `sort`

        GET /api/v1/nfts
        """
        return self._client.call("GET", "/api/v1/nfts", query={"page": page, "limit": limit, "cursor": cursor, "format": format, "all": all, "status": status, "assetType": asset_type, "custodian": custodian, "orgId": org_id, "tlc": tlc, "gtin": gtin, "serial": serial, "processMap": process_map, "createdFrom": created_from, "createdTo": created_to, "expiringBefore": expiring_before, "recalled": recalled, "sort": sort, "asOf": as_of})

    def get_nft_by_tlc(self, tlc: Any, *, as_of: Any = None, gtin: Any = None, serial: Any = None, custodian: Any = None) -> Any:
        """Get the lot with a traceability lot code

        GET /api/v1/nfts/by-tlc/{tlc}
        """
        return self._client.call("GET", f"/api/v1/nfts/by-tlc/{_in(tlc)}", query={"asOf": as_of, "gtin": gtin, "serial": serial, "custodian": custodian})

    def get_nft(self, token_id: Any, *, as_of: Any = None) -> Any:
        """Get one lot

        GET /api/v1/nfts/{tokenId}
        """
        return self._client.call("GET", f"/api/v1/nfts/{_in(token_id)}", query={"asOf": as_of})

    def get_nft_ancestry(self, token_id: Any, *, max_depth: Any = None, max_nodes: Any = None, edges: Any = None, format: Any = None, as_of: Any = None, cursor: Any = None) -> Any:
        """What a lot was made from and what was packed into it

        GET /api/v1/nfts/{tokenId}/ancestry
        """
        return self._client.call("GET", f"/api/v1/nfts/{_in(token_id)}/ancestry", query={"maxDepth": max_depth, "maxNodes": max_nodes, "edges": edges, "format": format, "asOf": as_of, "cursor": cursor})

    def get_nft_descendants(self, token_id: Any, *, max_depth: Any = None, max_nodes: Any = None, edges: Any = None, format: Any = None, as_of: Any = None, cursor: Any = None) -> Any:
        """What was made from a lot and which containers it was packed into

        GET /api/v1/nfts/{tokenId}/descendants
        """
        return self._client.call("GET", f"/api/v1/nfts/{_in(token_id)}/descendants", query={"maxDepth": max_depth, "maxNodes": max_nodes, "edges": edges, "format": format, "asOf": as_of, "cursor": cursor})

    def get_nft_relations(self, token_id: Any, *, as_of: Any = None) -> Any:
        """Parents and children of a lot, its container, its contents and its siblings

        GET /api/v1/nfts/{tokenId}/relations
        """
        return self._client.call("GET", f"/api/v1/nfts/{_in(token_id)}/relations", query={"asOf": as_of})

    def get_nft_footprint(self, token_id: Any, *, max_depth: Any = None, max_nodes: Any = None, as_of: Any = None) -> Any:
        """Carbon, water, energy and waste of a lot and everything it was made from

        GET /api/v1/nfts/{tokenId}/footprint
        """
        return self._client.call("GET", f"/api/v1/nfts/{_in(token_id)}/footprint", query={"maxDepth": max_depth, "maxNodes": max_nodes, "asOf": as_of})

    def list_events(self, *, page: Any = None, limit: Any = None, cursor: Any = None, format: Any = None, all: Any = None, process_type: Any = None, kind: Any = None, status: Any = None, token_id: Any = None, tlc: Any = None, org_id: Any = None, from_: Any = None, to: Any = None) -> Any:
        """List the events within your process scope, newest first by eventTime

        GET /api/v1/events
        """
        return self._client.call("GET", "/api/v1/events", query={"page": page, "limit": limit, "cursor": cursor, "format": format, "all": all, "processType": process_type, "kind": kind, "status": status, "tokenId": token_id, "tlc": tlc, "orgId": org_id, "from": from_, "to": to})

    def get_nft_events(self, token_id: Any, *, page: Any = None, limit: Any = None, cursor: Any = None, format: Any = None, all: Any = None, tree: Any = None) -> Any:
        """List the landed events that name a lot, or any lot of its tree, within your process scope, newest first by eventTime

        GET /api/v1/nfts/{tokenId}/events
        """
        return self._client.call("GET", f"/api/v1/nfts/{_in(token_id)}/events", query={"page": page, "limit": limit, "cursor": cursor, "format": format, "all": all, "tree": tree})

    def prepare_tx(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """Prepare any state-changing method of the tenant's contract

        POST /api/v1/tx/prepare
        """
        return self._client.call("POST", "/api/v1/tx/prepare", body=body, headers={"Idempotency-Key": idempotency_key})

    def relay_account(self, *, account: Any = None) -> Any:
        """Your account, and the place that the next batch of each passkey has

        GET /api/v1/tx/relay
        """
        return self._client.call("GET", "/api/v1/tx/relay", query={"account": account})

    def relay_calls(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """Have prepared calls sent that a passkey signed; the sponsor pays

        POST /api/v1/tx/relay
        """
        return self._client.call("POST", "/api/v1/tx/relay", body=body, headers={"Idempotency-Key": idempotency_key})

    def relay_state(self, relay_id: Any) -> Any:
        """What became of a batch, and what it cost

        GET /api/v1/tx/relay/{relayId}
        """
        return self._client.call("GET", f"/api/v1/tx/relay/{_in(relay_id)}")

    def track_tx(self, body: Any, *, idempotency_key: Any = None) -> Any:
        """Watch a transaction that was sent to the chain

        POST /api/v1/tx/track
        """
        return self._client.call("POST", "/api/v1/tx/track", body=body, headers={"Idempotency-Key": idempotency_key})

    def list_tx(self, *, page: Any = None, limit: Any = None, status: Any = None, type: Any = None, from_: Any = None, to: Any = None, cursor: Any = None) -> Any:
        """What you gave to track, newest first; an API key sees its own

        GET /api/v1/tx
        """
        return self._client.call("GET", "/api/v1/tx", query={"page": page, "limit": limit, "status": status, "type": type, "from": from_, "to": to, "cursor": cursor})

    def get_tx_status(self, tx_hash: Any) -> Any:
        """Current state of any transaction of the chain, without tracking it

        GET /api/v1/tx/status/{txHash}
        """
        return self._client.call("GET", f"/api/v1/tx/status/{_in(tx_hash)}")

    def get_tx(self, tracking_id: Any) -> Any:
        """State of a tracked transaction

        GET /api/v1/tx/{trackingId}
        """
        return self._client.call("GET", f"/api/v1/tx/{_in(tracking_id)}")

    def get_chain(self) -> Any:
        """The chain and the tenant's contract on it

        GET /api/v1/chain
        """
        return self._client.call("GET", "/api/v1/chain")

    def get_sponsorship(self) -> Any:
        """What the sponsor pays for the members of the tenant, and who it is

        GET /api/v1/sponsorship
        """
        return self._client.call("GET", "/api/v1/sponsorship")

    def change_sponsorship(self, body: Any) -> Any:
        """Lower what the sponsor pays for the members of the tenant

        PATCH /api/v1/sponsorship
        """
        return self._client.call("PATCH", "/api/v1/sponsorship", body=body)

    def set_sponsorship_ceiling(self, id: Any, body: Any) -> Any:
        """Set the most that the sponsor pays for a tenant; by slug or UUID

        PATCH /api/v2/tenants/{id}/sponsorship
        """
        return self._client.call("PATCH", f"/api/v2/tenants/{_in(id)}/sponsorship", body=body)
