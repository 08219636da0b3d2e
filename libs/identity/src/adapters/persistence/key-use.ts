import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '#persistence';

const ONCE_MS = 60_000;

/** Notes when an API key was last used, at most once a minute, without making its request wait. */
@Injectable()
export class KeyUse {
  private readonly log = new Logger('Identity');
  private readonly noted = new Map<string, number>();

  constructor(private readonly unitOfWork: UnitOfWork) {}

  note(tenantId: string, keyId: string): void {
    const now = Date.now();
    if (now - (this.noted.get(keyId) ?? 0) < ONCE_MS) return;
    this.noted.delete(keyId);
    this.noted.set(keyId, now);
    for (const [id, at] of this.noted) {
      if (now - at < ONCE_MS) break;
      this.noted.delete(id);
    }
    void this.unitOfWork
      .inTransaction({ tenantId }, (tx) =>
        tx.sql(
          `update identity.api_key set last_used_at = $3
           where tenant_id = $1 and id = $2 and (last_used_at is null or last_used_at <= $3::timestamptz - interval '1 minute')`,
          [tenantId, keyId, new Date(now)],
        ),
      )
      .catch((error: Error) => this.log.warn(`the use of an API key was not noted: ${error.message}`));
  }
}
