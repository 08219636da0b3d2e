import { Injectable } from '@nestjs/common';
import { Clock, type TenantScope, newId } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { type Answer, idempotencyKeyReused, stillRunning } from './answer.js';

/** One key of one principal on one route. */
export interface KeyedRequest extends TenantScope {
  readonly principalId: string;
  readonly route: string;
  readonly key: string;
  readonly fingerprint: string;
}

/** A process that dies in the middle holds its keys for so long; one that lives renews them. */
export const LEASE_MS = 30_000;
const KEPT_MS = 86_400_000;
const BATCH = 1_000;

interface Row {
  readonly fingerprint: string;
  readonly leased_until: Date;
  readonly status: number | null;
  readonly content_type: string | null;
  readonly body: string | null;
}

/** The answers of the last 24 hours to requests with an Idempotency-Key (reliability-decisions §3.8). */
@Injectable()
export class KeptAnswers {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes the key for this request, or finds what was answered to it.
   * @returns a claim, to be ended by `keep` or `release`, or the answer
   * @throws DomainError 422 for another body, 409 while the first one is being worked on
   */
  claim(request: KeyedRequest): Promise<string | Answer> {
    const claim = newId();
    return this.unitOfWork.inTransaction(request, async (tx) => {
      const now = this.clock.now();
      const lease = new Date(now.getTime() + LEASE_MS);
      const values = [...keyOf(request), request.fingerprint, claim, lease, new Date(now.getTime() + KEPT_MS), now];
      const [taken] = await tx.sql(CLAIM, values);
      return taken ? claim : answerOf(request, now, await find(tx, request));
    });
  }

  async renew(request: KeyedRequest, claim: string): Promise<void> {
    const lease = new Date(this.clock.now().getTime() + LEASE_MS);
    await this.unitOfWork.inTransaction(request, (tx) =>
      tx.sql(`update http.answer set leased_until = $6 where ${CLAIMED}`, [...keyOf(request), claim, lease]),
    );
  }

  async keep(request: KeyedRequest, claim: string, { status, contentType, body }: Answer): Promise<void> {
    await this.unitOfWork.inTransaction(request, (tx) =>
      tx.sql(`update http.answer set status = $6, content_type = $7, body = $8 where ${CLAIMED}`, [
        ...keyOf(request),
        claim,
        status,
        contentType,
        body,
      ]),
    );
  }

  async release(request: KeyedRequest, claim: string): Promise<void> {
    await this.unitOfWork.inTransaction(request, (tx) => tx.sql(`delete from http.answer where ${CLAIMED}`, [...keyOf(request), claim]));
  }

  /** Forgets what is older than a day. @returns how many */
  async purge(): Promise<number> {
    let all = 0;
    for (let purged = BATCH; purged === BATCH; all += purged)
      purged = await this.unitOfWork.asSystem(async (tx) => (await tx.sql(PURGE, [this.clock.now(), BATCH])).length);
    return all;
  }
}

const keyOf = ({ tenantId, principalId, route, key }: KeyedRequest): string[] => [tenantId, principalId, route, key];

async function find(tx: TenantTx, request: KeyedRequest): Promise<Row | undefined> {
  const [row] = await tx.sql<Row>(FIND, keyOf(request));
  return row;
}

function answerOf(request: KeyedRequest, now: Date, row: Row | undefined): Answer {
  // Released at this very moment: the next try takes it.
  if (!row) throw stillRunning(1);
  if (row.fingerprint !== request.fingerprint) throw idempotencyKeyReused();
  if (row.status === null) throw stillRunning(Math.max(1, Math.ceil((row.leased_until.getTime() - now.getTime()) / 1_000)));
  return { status: row.status, contentType: row.content_type!, body: row.body };
}

const CLAIMED = 'tenant_id = $1 and principal_id = $2 and route = $3 and key = $4 and claim = $5 and status is null';

/** A key whose day is over is new; one whose process died goes to the same request again. */
const CLAIM = `
  insert into http.answer as a (tenant_id, principal_id, route, key, fingerprint, claim, leased_until, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (tenant_id, principal_id, route, key) do update
  set fingerprint = excluded.fingerprint, claim = excluded.claim, leased_until = excluded.leased_until,
      expires_at = excluded.expires_at, status = null, content_type = null, body = null
  where a.expires_at <= $9 or (a.status is null and a.leased_until <= $9 and a.fingerprint = excluded.fingerprint)
  returning claim`;

const FIND = `
  select fingerprint, leased_until, status, content_type, body from http.answer
  where tenant_id = $1 and principal_id = $2 and route = $3 and key = $4`;

const PURGE = `
  delete from http.answer where (tenant_id, principal_id, route, key) in (
    select tenant_id, principal_id, route, key from http.answer where expires_at <= $1 limit $2 for update skip locked
  ) returning 1`;
