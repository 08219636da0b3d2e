import { Injectable } from '@nestjs/common';
import type { Tx } from '#persistence';
import { Invitations } from '../../administration.ports.js';

@Injectable()
export class SqlInvitations extends Invitations {
  override async issue(tx: Tx, invitation: Parameters<Invitations['issue']>[1]): Promise<void> {
    const { tokenHash, userId, tenantId, createdAt, expiresAt } = invitation;
    // Retention: an expired link says nothing any more.
    await tx.sql('delete from identity.invitation where expires_at < $1', [createdAt]);
    await tx.sql('insert into identity.invitation (token_hash, user_id, tenant_id, created_at, expires_at) values ($1, $2, $3, $4, $5)', [
      tokenHash,
      userId,
      tenantId,
      createdAt,
      expiresAt,
    ]);
  }

  override async take(tx: Tx, tokenHash: Buffer, at: Date): Promise<{ readonly userId: string; readonly tenantId: string } | null> {
    const [taken] = await tx.sql<{ userId: string; tenantId: string }>(
      `update identity.invitation set used_at = $2 where token_hash = $1 and used_at is null and expires_at > $2
       returning user_id as "userId", tenant_id as "tenantId"`,
      [tokenHash, at],
    );
    return taken ?? null;
  }
}
