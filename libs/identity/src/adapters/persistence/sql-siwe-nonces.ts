import { Injectable } from '@nestjs/common';
import { generateNonce } from 'siwe';
import type { SystemTx } from '#persistence';
import { NONCE_TTL_MS } from '../../domain/siwe.js';
import { SiweNonces } from '../../ports.js';

/**
 * A flood of nonces takes no more room than this. The oldest go first: a sign-in takes seconds, so pushing somebody's
 * nonce out needs so many requests in that time; refusing new ones would need them in five minutes.
 */
const MOST = 100_000;
const SWEEP_EVERY = 64;

@Injectable()
export class SqlSiweNonces extends SiweNonces {
  private issued = 0;

  override async issue(tx: SystemTx, at: Date): Promise<string> {
    if (this.issued++ % SWEEP_EVERY === 0) await sweep(tx, at);
    const nonce = generateNonce();
    await tx.sql('insert into identity.siwe_nonce (nonce, issued_at) values ($1, $2)', [nonce, at]);
    return nonce;
  }

  override async consume(tx: SystemTx, nonce: string, at: Date): Promise<boolean> {
    const [used] = await tx.sql<{ issued_at: Date }>('delete from identity.siwe_nonce where nonce = $1 returning issued_at', [nonce]);
    return used !== undefined && at.getTime() - used.issued_at.getTime() < NONCE_TTL_MS;
  }
}

async function sweep(tx: SystemTx, at: Date): Promise<void> {
  await tx.sql(
    `delete from identity.siwe_nonce where issued_at < greatest($1::timestamptz,
       (select issued_at from identity.siwe_nonce order by issued_at desc offset $2 limit 1))`,
    [new Date(at.getTime() - NONCE_TTL_MS), MOST],
  );
}
