import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { type SystemTx, UnitOfWork } from '#persistence';
import { passkeyTaken } from '../errors.js';
import { CHALLENGE_BYTES, CHALLENGE_TTL_MS, type Passkey } from './passkey.js';

/** Whose registration a challenge is for; null for a sign-in. */
export interface Registrant {
  readonly userId: string;
  readonly tenantId: string;
}

interface PasskeyRow {
  readonly id: string;
  readonly tenant_id: string;
  readonly user_id: string;
  readonly name: string;
  readonly public_key: Buffer;
  readonly x: string;
  readonly y: string;
  readonly rp_id: string;
  readonly sign_count: string;
  readonly backed_up: boolean;
  readonly transports: string[];
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

/** As with nonces of SIWE: the oldest go first, so nobody's challenge is pushed out within seconds. */
const MOST_CHALLENGES = 100_000;
const DELETE_EVERY = 64;

/** Passkeys belong to a person, whom a tenant does not own: everything here runs as the system. */
@Injectable()
export class PasskeysQueries {
  private issued = 0;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** @returns base64url */
  issueChallenge(of: Registrant | null): Promise<string> {
    return this.unitOfWork.asSystem(async (tx) => {
      const now = this.clock.now();
      if (this.issued++ % DELETE_EVERY === 0) await deleteOld(tx, now);
      const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
      await tx.sql('insert into identity.passkey_challenge (challenge, user_id, tenant_id, issued_at) values ($1, $2, $3, $4)', [
        challenge,
        of?.userId ?? null,
        of?.tenantId ?? null,
        now,
      ]);
      return challenge;
    });
  }

  /** Uses it up, in a transaction of its own: it stays used when the answer is refused later. @returns whether it was valid for this */
  consumeChallenge(challenge: string, of: Registrant | null): Promise<boolean> {
    return this.unitOfWork.asSystem(async (tx) => {
      const [used] = await tx.sql<{ user_id: string | null; tenant_id: string | null; issued_at: Date }>(
        'delete from identity.passkey_challenge where challenge = $1 returning user_id, tenant_id, issued_at',
        [challenge],
      );
      if (!used || used.user_id !== (of?.userId ?? null) || used.tenant_id !== (of?.tenantId ?? null)) return false;
      return this.clock.now().getTime() - used.issued_at.getTime() < CHALLENGE_TTL_MS;
    });
  }

  /** The same as `list`, in a transaction of its own. */
  known(of: Registrant): Promise<readonly Passkey[]> {
    return this.unitOfWork.readAsSystem((tx) => this.list(tx, of));
  }

  /** Of the user in this tenant, oldest first. */
  async list(tx: SystemTx, { userId, tenantId }: Registrant): Promise<readonly Passkey[]> {
    const rows = await tx.sql<PasskeyRow>('select * from identity.passkey where user_id = $1 and tenant_id = $2 order by created_at, id', [
      userId,
      tenantId,
    ]);
    return rows.map(passkeyOf);
  }

  /** In all tenants. */
  async count(tx: SystemTx, userId: string): Promise<number> {
    const [row] = await tx.sql<{ count: number }>('select count(*)::int as count from identity.passkey where user_id = $1', [userId]);
    return row!.count;
  }

  async byId(tx: SystemTx, id: string): Promise<Passkey | null> {
    const [row] = await tx.sql<PasskeyRow>('select * from identity.passkey where id = $1', [id]);
    return row ? passkeyOf(row) : null;
  }

  /** @throws DomainError 409 `passkey_taken` */
  async insert(tx: SystemTx, passkey: Omit<Passkey, 'createdAt' | 'lastUsedAt'>): Promise<void> {
    const { id, tenantId, userId, name, key, signCount, backedUp, transports } = passkey;
    const inserted = await tx.sql(
      `insert into identity.passkey
         (tenant_id, id, user_id, name, public_key, x, y, rp_id, sign_count, backed_up, transports, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::text[], $12) on conflict do nothing returning id`,
      [
        ...[tenantId, id, userId, name, Buffer.from(key.publicKey), key.x, key.y, key.rpId],
        ...[signCount, backedUp, transports, this.clock.now()],
      ],
    );
    if (inserted.length === 0) throw passkeyTaken();
  }

  /** Replaces exactly the counter that was compared; of two answers at once with one counter, one gets false. */
  async recordUse(tx: SystemTx, { id, signCount: before }: Passkey, after: { signCount: number; backedUp: boolean }): Promise<boolean> {
    const used = await tx.sql(
      `update identity.passkey set sign_count = $3, backed_up = $4, last_used_at = $5 where id = $1 and sign_count = $2 returning id`,
      [id, before, after.signCount, after.backedUp, this.clock.now()],
    );
    return used.length > 0;
  }

  /** Of active members of an organisation; oldest first. */
  async ofOrganisation(tx: SystemTx, tenantId: string, orgId: string): Promise<readonly Passkey[]> {
    const rows = await tx.sql<PasskeyRow>(
      `select p.* from identity.passkey p join identity.member m on m.tenant_id = p.tenant_id and m.user_id = p.user_id and m.revoked_at is null
       where p.tenant_id = $1 and m.org_id::text = $2 order by p.created_at, p.id`,
      [tenantId, orgId],
    );
    return rows.map(passkeyOf);
  }

  /** All of a person in one tenant. @returns their ids */
  async deleteAll(tx: SystemTx, { userId, tenantId }: Registrant): Promise<readonly string[]> {
    const gone = await tx.sql<{ id: string }>('delete from identity.passkey where user_id = $1 and tenant_id = $2 returning id', [
      userId,
      tenantId,
    ]);
    return gone.map(({ id }) => id);
  }

  async delete(tx: SystemTx, { userId, tenantId }: Registrant, id: string): Promise<boolean> {
    const gone = await tx.sql('delete from identity.passkey where id = $1 and user_id = $2 and tenant_id = $3 returning id', [
      id,
      userId,
      tenantId,
    ]);
    return gone.length > 0;
  }

  /** Changes of one person's passkeys wait for each other, so that the last one is kept and the most allowed are not exceeded. */
  async lock(tx: SystemTx, userId: string): Promise<void> {
    await tx.sql('select 1 from identity.app_user where id = $1 for no key update', [userId]);
  }

  now(): Date {
    return this.clock.now();
  }
}

const passkeyOf = (row: PasskeyRow): Passkey => ({
  id: row.id,
  tenantId: row.tenant_id,
  userId: row.user_id,
  name: row.name,
  key: { publicKey: row.public_key, x: row.x, y: row.y, rpId: row.rp_id },
  signCount: Number(row.sign_count),
  backedUp: row.backed_up,
  transports: row.transports,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
});

async function deleteOld(tx: SystemTx, now: Date): Promise<void> {
  await tx.sql(
    `delete from identity.passkey_challenge where issued_at < greatest($1::timestamptz,
       (select issued_at from identity.passkey_challenge order by issued_at desc offset $2 limit 1))`,
    [new Date(now.getTime() - CHALLENGE_TTL_MS), MOST_CHALLENGES],
  );
}
