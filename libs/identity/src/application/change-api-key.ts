import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Actor, Clock, isUuid } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { AuditLog } from '../contract.js';
import { ApiKey } from '../domain/api-key.js';
import { OPERATOR } from '../domain/audit.js';
import { apiKeyNotFound, apiKeyRevoked } from '../domain/errors.js';
import { subjectOf } from '../domain/revocation.js';
import { Revocations } from '../ports.js';

/** A new secret for a key, or its end. Both count at once here and within a second on other nodes. */
@Injectable()
export class ChangeApiKey {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly revocations: Revocations,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** @returns with the new text, which cannot be told again @throws DomainError 404 `api_key_not_found`, 409 `api_key_revoked` */
  rotate(tenantId: string, id: string, overlapSeconds: number, by: Actor | null): Promise<{ readonly key: ApiKey; readonly text: string }> {
    return this.change(tenantId, id, async (tx, key) => {
      if (key.revokedAt) throw apiKeyRevoked();
      const text = key.rotate(randomBytes(32), overlapSeconds, this.clock.now());
      await tx.repository(ApiKey).save(key);
      await this.audit.record(tx, tenantId, by ?? OPERATOR, { action: 'api_key.rotated', subject: id, details: { overlapSeconds } });
      return { key, text };
    });
  }

  /** Revoked twice is revoked. @throws DomainError 404 `api_key_not_found` */
  async revoke(tenantId: string, id: string, by: Actor | null): Promise<void> {
    await this.change(tenantId, id, async (tx, key) => {
      if (key.revokedAt) return;
      key.revokedAt = this.clock.now();
      await tx.repository(ApiKey).save(key);
      await this.audit.record(tx, tenantId, by ?? OPERATOR, { action: 'api_key.revoked', subject: id });
    });
  }

  private async change<T>(tenantId: string, id: string, work: (tx: TenantTx, key: ApiKey) => Promise<T>): Promise<T> {
    if (!isUuid(id)) throw apiKeyNotFound();
    const subjects = [subjectOf.apiKey(id.toLowerCase())];
    const result = await this.unitOfWork.inTransaction({ tenantId }, async (tx) => {
      const key = await tx.repository(ApiKey).findOne({ where: { tenantId, id }, lock: { mode: 'pessimistic_write' } });
      if (!key) throw apiKeyNotFound();
      await this.revocations.record(tx, subjects);
      return work(tx, key);
    });
    this.revocations.forget(subjects);
    return result;
  }
}
