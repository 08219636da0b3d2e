import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Actor, Clock, requireAuthorityOver } from '#kernel';
import type { TenantTx } from '#persistence';
import { subjectOf } from '../access/principal.js';
import { RevocationsQueries } from '../access/revocations.queries.js';
import { OPERATOR } from '../audit/audit.js';
import { AuditLog } from '../contract.js';
import { apiKeyRevoked } from '../errors.js';
import type { ApiKey } from './api-key.js';
import { ApiKeysQueries } from './api-keys.queries.js';

/** Gives a key a new secret, or revokes it: effective at once on this node, and within a second on the others. */
@Injectable()
export class ChangeApiKey {
  constructor(
    private readonly keys: ApiKeysQueries,
    private readonly revocations: RevocationsQueries,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * @param by null for the operator
   * @returns with the new text, which cannot be shown again
   * @throws DomainError 404 `api_key_not_found`, 403 `beyond_own_grants`, 409 `api_key_revoked`
   */
  rotate(tenantId: string, id: string, overlapSeconds: number, by: Actor | null): Promise<{ readonly key: ApiKey; readonly text: string }> {
    return this.change(tenantId, id, by, async (tx, key) => {
      if (key.revokedAt) throw apiKeyRevoked();
      const text = key.rotate(randomBytes(32), overlapSeconds, this.clock.now());
      await this.keys.save(tx, key);
      await this.audit.record(tx, tenantId, by ?? OPERATOR, { action: 'api_key.rotated', subject: id, details: { overlapSeconds } });
      return { key, text };
    });
  }

  /** Revoking a revoked key does nothing. @throws DomainError 404 `api_key_not_found`, 403 `beyond_own_grants` */
  async revoke(tenantId: string, id: string, by: Actor | null): Promise<void> {
    await this.change(tenantId, id, by, async (tx, key) => {
      if (key.revokedAt) return;
      key.revokedAt = this.clock.now();
      await this.keys.save(tx, key);
      await this.audit.record(tx, tenantId, by ?? OPERATOR, { action: 'api_key.revoked', subject: id });
    });
  }

  private change<T>(tenantId: string, id: string, by: Actor | null, work: (tx: TenantTx, key: ApiKey) => Promise<T>): Promise<T> {
    return this.revocations.inTransaction({ tenantId }, async (tx, revoke) => {
      const key = await this.keys.lock(tx, id);
      if (by) requireAuthorityOver(by, key);
      await revoke(subjectOf.apiKey(key.id));
      return work(tx, key);
    });
  }
}
