import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { type SystemTx, UnitOfWork } from '#persistence';
import { NONCE_TTL_MS } from './siwe.js';

/**
 * The most nonces stored. The oldest are deleted first: a sign-in takes seconds, so an attacker would need this many requests in
 * seconds to delete somebody's nonce. Refusing new nonces instead would need them within five minutes only.
 */
const MOST = 100_000;
const DELETE_EVERY = 64;

@Injectable()
export class SiweNoncesQueries {
  private issued = 0;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** 32 letters and digits (EIP-4361 wants 8 or more), valid for five minutes and one use. */
  issue(): Promise<string> {
    return this.unitOfWork.asSystem(async (tx) => {
      const now = this.clock.now();
      if (this.issued++ % DELETE_EVERY === 0) await deleteOld(tx, now);
      const nonce = randomBytes(16).toString('hex');
      await tx.sql('insert into identity.siwe_nonce (nonce, issued_at) values ($1, $2)', [nonce, now]);
      return nonce;
    });
  }

  /** Uses up the nonce, in a transaction of its own: it stays used when the sign-in is refused later. @returns whether it was valid */
  consume(nonce: string): Promise<boolean> {
    return this.unitOfWork.writeAsSystem(async (tx) => {
      const [used] = await tx.sql<{ issued_at: Date }>('delete from identity.siwe_nonce where nonce = $1 returning issued_at', [nonce]);
      return used !== undefined && this.clock.now().getTime() - used.issued_at.getTime() < NONCE_TTL_MS;
    });
  }
}

async function deleteOld(tx: SystemTx, now: Date): Promise<void> {
  await tx.sql(
    `delete from identity.siwe_nonce where issued_at < greatest($1::timestamptz,
       (select issued_at from identity.siwe_nonce order by issued_at desc offset $2 limit 1))`,
    [new Date(now.getTime() - NONCE_TTL_MS), MOST],
  );
}
