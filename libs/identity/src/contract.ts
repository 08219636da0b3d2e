import type { AccountConfig, AccountKey } from '#chain';
import type { Actor, Language, Role, TenantScope } from '#kernel';
import type { SystemTx, TenantTx } from '#persistence';
import { StorageQuota, TenantContract } from '#prepare';
import type { HeldKind, Usage, Use } from './tenants/tenant.js';
import type { AuditActor, AuditEntry } from './audit/audit.js';
import type { ProcessRecorders } from './wallets/chain-grant.js';

/** What other contexts may know of a tenant. */
export interface TenantView {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  /** keccak256(utf8(slug)), bytes32. */
  readonly onChainTenantId: string;
  /** EIP-55 address of the tenant's newest contract; null until its creation is on chain. */
  readonly contract: string | null;
  /** Version of its implementation, as the registry numbers them. */
  readonly contractVersion: number | null;
}

/** Cached for a second, because every request needs it. */
export abstract class Tenants extends TenantContract {
  /** @throws DomainError 404 `tenant_not_found` */
  abstract byId(tenantId: string): Promise<TenantView>;
}

/** docs/spec/domain.md#custodian-label */
export type CustodianLabelKind = 'organization' | 'facility' | 'user' | 'partner' | 'contract' | 'address';

export interface PartyLabel {
  readonly label: string;
  readonly kind: CustodianLabelKind;
  readonly orgId: string | null;
  readonly orgName: string | null;
}

/** What an address without a named party is called. Statements of other contexts join the named ones: `identity.party_v1`. */
export const nameless = (address: string): PartyLabel => ({
  label: `${address.slice(0, 6)}…${address.slice(-4)}`,
  kind: 'address',
  orgId: null,
  orgName: null,
});

/** The owners of a tenant's wallets. Addresses are EIP-55. */
export abstract class Parties {
  /** One entry for every given address; an unknown one is labelled `0x1234…abcd`. */
  abstract labels(tx: TenantTx, addresses: readonly string[]): Promise<ReadonlyMap<string, PartyLabel>>;
  /** Wallets of an organisation. @throws DomainError 404 `organisation_not_found` */
  abstract walletsOf(tx: TenantTx, orgId: string): Promise<readonly string[]>;
}

/**
 * The processes of a tenant's published maps, which decide the rights of a role on chain. Identity knows no process maps: the
 * composition root provides the class of the context that does.
 */
export abstract class ProcessDirectory {
  abstract processes(tx: TenantTx): Promise<readonly ProcessRecorders[]>;
}

/**
 * What a tenant's tier allows (docs/spec/api.md#identity, Tiers). Called in the transaction of what is used.
 */
export abstract class Quotas extends StorageQuota {
  /** @throws DomainError 429 `quota_exceeded` */
  abstract override take(tx: TenantTx, more: Use): Promise<void>;
  /**
   * The same as a single statement, for `UnitOfWork.write`. Null where usage was not counted lately or is near a limit: then `take` looks first.
   */
  abstract takeAtOnce(scope: TenantScope, more: Use): ((tx: TenantTx) => Promise<void>) | null;
  /**
   * Checks that there is room for one more. Waits for open transactions that also called it.
   * @param owner of what is counted for each owner: an organisation (`sites`, `wallets`) or a user (`wallets`); for `members` the user who joins
   * @throws DomainError 429 `quota_exceeded`
   */
  abstract requireRoom(tx: TenantTx, kind: HeldKind, owner?: string | null): Promise<void>;
  /** Registers how to count what a tenant holds. */
  abstract counted(kind: HeldKind, count: (tx: TenantTx) => Promise<number>): void;
  abstract usage(tx: TenantTx): Promise<Usage>;
}

/** Security events of a tenant, written in the transaction of what happened; never changed afterwards. */
export abstract class AuditLog {
  /** @param tx of the tenant, or the system's */
  abstract record(tx: TenantTx | SystemTx, tenantId: string, by: Actor | AuditActor, entry: AuditEntry): Promise<void>;
}

/** The account on chain for which passkeys sign. */
export interface PasskeyAccount {
  readonly tenantId: string;
  /** Null for the account of an organisation. */
  readonly userId: string | null;
  /** EIP-55. */
  readonly address: string;
  /** That makes it; EIP-55. */
  readonly factory: string;
  readonly config: AccountConfig;
}

export interface AccountPasskey {
  /** Of the credential, base64url. */
  readonly id: string;
  readonly name: string;
  readonly key: AccountKey;
  /** Of signatures, as last seen; 0 of a passkey that does not count. */
  readonly signCount: number;
}

/** A call that was prepared for an account, and that nothing has carried yet. */
export interface CallForAccount {
  readonly id: string;
  /** EIP-55. */
  readonly to: string;
  readonly data: string;
  /** Estimate of the call alone. */
  readonly gas: number;
}

/** Accounts of passkeys, and what was prepared for them. */
export abstract class PasskeyAccounts {
  /**
   * With all passkeys of the member; null when there is none.
   * @param address of an account of their own, or of their organisation; without it the one that is their wallet
   */
  abstract of(
    actor: Actor,
    address?: string,
  ): Promise<{ readonly account: PasskeyAccount; readonly passkeys: readonly AccountPasskey[] } | null>;
  /** Whether pages of this origin may ask for passkeys. */
  abstract isOwnOrigin(origin: string): boolean;
  /** @returns false for a counter that does not grow: somebody may have a copy of the passkey; that is in the audit log then */
  abstract countUse(actor: Actor, passkey: AccountPasskey, counter: number): Promise<boolean>;
  /** The accounts of our factories among some EIP-55 addresses. */
  abstract among(addresses: readonly string[]): Promise<ReadonlySet<string>>;
  /** Those of the ids that are unused calls of this account. */
  abstract unusedCalls(tx: TenantTx, account: string, ids: readonly string[]): Promise<readonly CallForAccount[]>;
  /** @returns false where one of them is no unused call of this account: then the transaction must not be committed */
  abstract useCalls(tx: TenantTx, account: string, ids: readonly string[]): Promise<boolean>;
  /** What was never sent may be sent again. */
  abstract releaseCalls(tx: TenantTx, ids: readonly string[]): Promise<void>;
}

/** A person who takes part in a tenant, as far as others need to know to write to them. */
export interface Recipient {
  readonly userId: string;
  readonly orgId: string | null;
  /** EIP-55. */
  readonly wallet: string | null;
  readonly roles: readonly Role[];
  /** Whether some role is only for some processes. */
  readonly isScoped: boolean;
}

/** Mail that a service sends by itself, without being asked. */
export interface MemberMailText {
  /** The same for each attempt to send it: who gets it twice sees that by its Message-ID. */
  readonly id: string;
  readonly subject: string;
  readonly text: string;
  /** One click there ends such mails (RFC 8058). */
  readonly unsubscribeUrl: string;
}

/** Writes to the members of a tenant. */
export abstract class MemberMail {
  /** False where no mail server is configured: then nothing is to be sent, now or later. */
  abstract readonly isConfigured: boolean;
  /** Those who have signed in to the tenant, and still belong to it. */
  abstract recipients(tx: TenantTx): Promise<readonly Recipient[]>;
  /**
   * One attempt, in the language of the person. `gone`: the person does not belong to the tenant any more. `refused`: the server takes no mail to this address, ever.
   * @throws Error when it is to be tried again
   */
  abstract send(tenantId: string, userId: string, mailIn: (language: Language) => MemberMailText): Promise<'sent' | 'gone' | 'refused'>;
}
