import { createHash, timingSafeEqual } from 'node:crypto';
import { type Role, invalidContent } from '#kernel';
import { type Grants, type RoleScopes, checkGrants } from '../access/grants.js';
import type { Environment } from '../tenants/tenant.js';

export interface NewApiKey extends Grants {
  readonly name: string;
  readonly expiresAt?: Date | null;
}

/** A server's credential (docs/spec/service.md#api-key). The secret is shown once; only its hash is stored. */
export class ApiKey {
  tenantId: string;
  id: string;
  name: string;
  /** The visible part, by which people recognise the key: everything before the secret. */
  prefix: string;
  secretHash: Buffer;
  /** The secret before a rotation, valid until `previousUntil`. */
  previousHash: Buffer | null;
  previousUntil: Date | null;
  roles: Role[];
  roleScopes: RoleScopes;
  orgId: string | null;
  wallet: string | null;
  createdBy: string | null;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  revokedAt: Date | null;

  /** @param secret 32 random bytes @throws DomainError 422 */
  static create(
    tenant: { readonly id: string; readonly environment: Environment },
    input: NewApiKey,
    base: { readonly id: string; readonly secret: Buffer; readonly by: string | null; readonly at: Date },
  ): { readonly key: ApiKey; readonly text: string } {
    checkGrants(input);
    if (input.expiresAt && input.expiresAt <= base.at)
      throw invalidContent([
        { pointer: '/expiresAt', code: 'in_the_past', message: 'A key must expire in the future; to end it now, revoke it.' },
      ]);
    const prefix = `tsk_${ENVIRONMENT_MARK[tenant.environment]}_${base.id.replaceAll('-', '')}`;
    const key = Object.assign(new ApiKey(), {
      tenantId: tenant.id,
      id: base.id,
      name: input.name,
      prefix,
      secretHash: hashOf(base.secret),
      previousHash: null,
      previousUntil: null,
      roles: [...input.roles],
      roleScopes: input.roleScopes ?? {},
      orgId: input.orgId ?? null,
      wallet: input.wallet ?? null,
      createdBy: base.by,
      createdAt: base.at,
      expiresAt: input.expiresAt ?? null,
      lastUsedAt: null,
      revokedAt: null,
    });
    return { key, text: textOf(prefix, base.secret) };
  }

  /**
   * A new secret. The old one stays valid for `overlapSeconds`; 0 ends it now, for a leaked secret.
   * @param secret 32 random bytes @returns the new text, shown once
   */
  rotate(secret: Buffer, overlapSeconds: number, at: Date): string {
    const overlap = overlapSeconds > 0;
    this.previousHash = overlap ? this.secretHash : null;
    this.previousUntil = overlap ? new Date(at.getTime() + overlapSeconds * 1000) : null;
    this.secretHash = hashOf(secret);
    return textOf(this.prefix, secret);
  }

  /** How long a secret is valid for this key: null when it is not valid now, infinity when it does not expire. */
  validUntil(secret: Buffer, at: Date): number | null {
    const hash = hashOf(secret);
    const ends = timingSafeEqual(hash, this.secretHash)
      ? Number.POSITIVE_INFINITY
      : this.previousHash !== null && this.previousUntil !== null && timingSafeEqual(hash, this.previousHash)
        ? this.previousUntil.getTime()
        : 0;
    const until = Math.min(ends, this.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY);
    return this.revokedAt === null && until > at.getTime() ? until : null;
  }
}

const ENVIRONMENT_MARK: Readonly<Record<Environment, string>> = { sandbox: 'sandbox', production: 'live' };
const KEY = /^(tsk_(?:sandbox|live)_([0-9a-f]{32})_([0-9a-f]{64}))([0-9a-f]{8})$/;

/** Id and secret of a key's text, or null. The checksum reveals a mistyped key without a database query. */
export function readApiKey(text: string): { readonly id: string; readonly secret: Buffer } | null {
  const [, body, id, secret, checksum] = KEY.exec(text) ?? [];
  if (!body || !id || !secret || crc32(body) !== checksum) return null;
  return { id: id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'), secret: Buffer.from(secret, 'hex') };
}

function textOf(prefix: string, secret: Buffer): string {
  const body = `${prefix}_${secret.toString('hex')}`;
  return body + crc32(body);
}

const hashOf = (secret: Buffer): Buffer => createHash('sha256').update(secret).digest();

/** CRC-32 of IEEE 802.3, as eight hexadecimal digits: reveals a damaged key to secret scanners and people. */
function crc32(text: string): string {
  let crc = 0xffff_ffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0);
  }
  return ((crc ^ 0xffff_ffff) >>> 0).toString(16).padStart(8, '0');
}
