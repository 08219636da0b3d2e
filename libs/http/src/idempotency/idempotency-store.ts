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

/** A process that dies during a request blocks its key for this time; a running process renews the lease. */
export const LEASE_MS = 30_000;

interface Row {
  readonly fingerprint: string;
  readonly status: number | null;
  readonly content_type: string | null;
  readonly body: string | null;
}

/** For how long (`IDEMPOTENCY_KEPT_HOURS`). */
export class AnswersKept {
  constructor(readonly ms: number) {}
}

/** Stores the answers of the last hours to requests with an Idempotency-Key (docs/spec/reliability.md#identity-and-access). */
@Injectable()
export class IdempotencyStore {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly kept: AnswersKept,
  ) {}

  /**
   * Leases the key for this request, or returns the stored answer.
   * @returns a lease id, to be ended by `save` or `release`, or the answer
   * @throws DomainError 422 for another body, 409 while the first request is still running
   */
  lease(request: KeyedRequest): Promise<string | Answer> {
    const leaseId = newId();
    return this.unitOfWork.write(request, async (tx) => {
      const now = this.clock.now();
      const until = new Date(now.getTime() + LEASE_MS);
      const values = [...keyOf(request), request.fingerprint, leaseId, until, new Date(now.getTime() + this.kept.ms), now];
      const [[leased], found] = await Promise.all([tx.sql(LEASE, values), find(tx, request)]);
      return leased ? leaseId : answerOf(request, found);
    });
  }

  async renew(request: KeyedRequest, leaseId: string): Promise<void> {
    const until = new Date(this.clock.now().getTime() + LEASE_MS);
    await this.unitOfWork.write(request, (tx) =>
      tx.sql(`update http.answer set leased_until = $6 where ${WITH_LEASE}`, [...keyOf(request), leaseId, until]),
    );
  }

  async save(request: KeyedRequest, leaseId: string, { status, contentType, body }: Answer): Promise<void> {
    await this.unitOfWork.write(request, (tx) =>
      tx.sql(`update http.answer set status = $6, content_type = $7, body = $8 where ${WITH_LEASE}`, [
        ...keyOf(request),
        leaseId,
        status,
        contentType,
        body,
      ]),
    );
  }

  async release(request: KeyedRequest, leaseId: string): Promise<void> {
    await this.unitOfWork.write(request, (tx) => tx.sql(`delete from http.answer where ${WITH_LEASE}`, [...keyOf(request), leaseId]));
  }
}

const keyOf = ({ tenantId, principalId, route, key }: KeyedRequest): string[] => [tenantId, principalId, route, key];

async function find(tx: TenantTx, request: KeyedRequest): Promise<Row | undefined> {
  const [row] = await tx.sql<Row>(FIND, keyOf(request));
  return row;
}

function answerOf(request: KeyedRequest, row: Row | undefined): Answer {
  // The lease was just released: the next try gets it.
  if (!row) throw stillRunning();
  if (row.fingerprint !== request.fingerprint) throw idempotencyKeyReused();
  if (row.status === null) throw stillRunning();
  return { status: row.status, contentType: row.content_type!, body: row.body };
}

const WITH_LEASE = 'tenant_id = $1 and principal_id = $2 and route = $3 and key = $4 and lease = $5 and status is null';

/** An expired key is new again. A key whose process died can be leased by the same request again. */
const LEASE = `
  insert into http.answer as a (tenant_id, principal_id, route, key, fingerprint, lease, leased_until, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (tenant_id, principal_id, route, key) do update
  set fingerprint = excluded.fingerprint, lease = excluded.lease, leased_until = excluded.leased_until,
      expires_at = excluded.expires_at, status = null, content_type = null, body = null
  where a.expires_at <= $9 or (a.status is null and a.leased_until <= $9 and a.fingerprint = excluded.fingerprint)
  returning lease`;

const FIND = `
  select fingerprint, status, content_type, body from http.answer
  where tenant_id = $1 and principal_id = $2 and route = $3 and key = $4`;
