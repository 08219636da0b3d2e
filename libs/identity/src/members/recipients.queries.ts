import { Injectable } from '@nestjs/common';
import type { Language } from '#kernel';
import type { SystemTx, TenantTx } from '#persistence';
import type { Recipient } from '../contract.js';

interface Reader {
  readonly email: string;
  readonly language: Language | null;
}

/** Members to whom the service writes. */
@Injectable()
export class RecipientQueries {
  all(tx: TenantTx): Promise<readonly Recipient[]> {
    return tx.sql<Recipient>(
      `select user_id as "userId", org_id as "orgId", wallet, roles, role_scopes <> '{}'::jsonb as "isScoped" from identity.member
       where tenant_id = $1 and accepted_at is not null and revoked_at is null order by user_id`,
      [tx.tenantId],
    );
  }

  /** Null for who does not belong to the tenant any more, or may not sign in. */
  async readerOf(tx: SystemTx, tenantId: string, userId: string): Promise<Reader | null> {
    const [row] = await tx.sql<Reader>(
      `select u.email, u.language from identity.member m join identity.app_user u on u.id = m.user_id
       where m.tenant_id = $1 and m.user_id = $2 and m.accepted_at is not null and m.revoked_at is null and u.disabled_at is null`,
      [tenantId, userId],
    );
    return row ?? null;
  }
}
