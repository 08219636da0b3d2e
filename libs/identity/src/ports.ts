import type { SystemTx, Tx } from '#persistence';
import type { Principal } from './domain/access.js';
import type { Account, IdentityPayload, TokenUse } from './domain/identity-payload.js';
import type { Mail } from './domain/password-reset.js';
import type { Session } from './domain/session.js';
import type { SiweClaims } from './domain/siwe.js';

/** People and their places in tenants. Logins and tokens look across tenants, so all of it runs as the system. */
export abstract class Accounts {
  /** The user with its active memberships of active tenants, by slug; null for an unknown or disabled one. */
  abstract byEmail(tx: SystemTx, email: string): Promise<Account | null>;
  abstract byId(tx: SystemTx, userId: string): Promise<Account | null>;
  /** What the session reaches: everything of its user, or, where a wallet opened it, the memberships that hold this wallet. */
  abstract ofSession(tx: SystemTx, session: Pick<Session, 'userId' | 'wallet'>): Promise<Account | null>;
  /** The users that hold the wallet in some tenant, each reduced to those memberships. @param address EIP-55 */
  abstract ofWallet(tx: SystemTx, address: string): Promise<readonly Account[]>;
}

/** The text form of EIP-4361, and who signed it. */
export abstract class SiweMessages {
  /** @throws DomainError 400 `siwe_malformed`, `siwe_address_not_eip55` */
  abstract read(text: string): SiweClaims;
  /** By the key of an account, or else by the contract at the address (EIP-1271). @throws EngineUnavailable('chain') */
  abstract isSigned(text: string, signature: string): Promise<boolean>;
}

export abstract class SiweNonces {
  /** 17 letters and digits, good for five minutes and one use. */
  abstract issue(tx: SystemTx, at: Date): Promise<string>;
  /** Whether it was good; it is not any more. */
  abstract consume(tx: SystemTx, nonce: string, at: Date): Promise<boolean>;
}

/** Turns what a credential claims into who it is now, from the rows as they stand: one round trip. */
export abstract class Principals {
  /** Null when the session is over, the user disabled or the membership revoked. @param tenantId null for a token without a tenant */
  abstract ofSession(sessionId: string, userId: string, tenantId: string | null, use: TokenUse): Promise<Principal | null>;
  /** @returns with the moment (milliseconds since the epoch) from which this secret is not good any more; infinite where there is none */
  abstract ofApiKey(keyId: string, secret: Buffer): Promise<{ readonly principal: Principal; readonly expiresAt: number } | null>;
}

/** One-time tokens for forgotten passwords, known by their digest. */
export abstract class PasswordResets {
  /** False where the user has as many unused ones as is good. */
  abstract issue(
    tx: SystemTx,
    reset: { readonly tokenHash: Buffer; readonly userId: string; readonly createdAt: Date; readonly expiresAt: Date },
  ): Promise<boolean>;
  /** The user, once; null for an unknown, used or expired one. */
  abstract take(tx: SystemTx, tokenHash: Buffer, at: Date): Promise<string | null>;
  abstract forget(tx: SystemTx, userId: string): Promise<void>;
}

export abstract class Mailer {
  /** Hands one mail to the transport. @throws Error where that fails: trying again is up to whoever asks again */
  abstract send(mail: Mail): Promise<void>;
}

export abstract class PasswordHasher {
  /** argon2id in PHC form. @throws DomainError 503 `too_many_logins` when too many wait already */
  abstract hash(password: string): Promise<string>;
  /** Takes as long for a null hash (unknown user) as for a real one. @throws DomainError 503 as `hash` */
  abstract verify(password: string, hash: string | null): Promise<boolean>;
  /** Whether it was made with weaker parameters than today's. */
  abstract isOutdated(hash: string): boolean;
}

export interface AccessClaims extends IdentityPayload {
  readonly token_use: TokenUse;
  readonly sid: string;
}

export abstract class AccessTokens {
  /** A signed JWT v2. */
  abstract issue(claims: AccessClaims): string;
}

/** Refresh tokens are not stored: each is a MAC over its session and number, so the current one can be told again. */
export abstract class RefreshTokens {
  abstract of(sessionId: string, counter: number): string;
  /** Null for anything that was not issued here. */
  abstract read(token: string): { readonly sessionId: string; readonly counter: number } | null;
}

/** Remembered credentials that hang on one of the subjects (domain/revocation.ts) are looked at again. */
export abstract class Revocations {
  /** For every node, within a second: part of the change's own transaction. */
  abstract record(tx: Tx, subjects: readonly string[]): Promise<void>;
  /** For this node, at once: after the commit. */
  abstract forget(subjects: readonly string[]): void;
}
