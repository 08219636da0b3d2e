import { Injectable } from '@nestjs/common';
import type { SystemTx } from '#persistence';
import { MOST_RESET_LINKS } from '../../domain/password-reset.js';
import { PasswordResets } from '../../ports.js';

@Injectable()
export class SqlPasswordResets extends PasswordResets {
  override async issue(tx: SystemTx, reset: Parameters<PasswordResets['issue']>[1]): Promise<boolean> {
    const { tokenHash, userId, createdAt, expiresAt } = reset;
    await tx.sql('delete from identity.password_reset where expires_at <= $1', [createdAt]);
    // The user's row orders those who ask at once, so that the bound holds.
    await tx.sql('select 1 from identity.app_user where id = $1 for update', [userId]);
    const made = await tx.sql(
      `insert into identity.password_reset (token_hash, user_id, created_at, expires_at)
       select $1, $2, $3, $4 where (select count(*) from identity.password_reset where user_id = $2) < $5 returning 1`,
      [tokenHash, userId, createdAt, expiresAt, MOST_RESET_LINKS],
    );
    return made.length > 0;
  }

  override async take(tx: SystemTx, tokenHash: Buffer, at: Date): Promise<string | null> {
    const [taken] = await tx.sql<{ user_id: string; expires_at: Date }>(
      'delete from identity.password_reset where token_hash = $1 returning user_id, expires_at',
      [tokenHash],
    );
    return taken && taken.expires_at > at ? taken.user_id : null;
  }

  override async forget(tx: SystemTx, userId: string): Promise<void> {
    await tx.sql('delete from identity.password_reset where user_id = $1', [userId]);
  }
}
