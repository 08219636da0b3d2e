import { Injectable } from '@nestjs/common';
import { ChainProfile } from '#chain';
import { Clock } from '#kernel';
import type { SystemTx } from '#persistence';
import { SponsorSigner } from '../signing/sponsor-signer.js';
import type { SponsorTransaction } from './sponsor-transaction.js';

interface Row extends Omit<SponsorTransaction, 'nonce' | 'gasLimit' | 'maxFee' | 'tip' | 'blockNumber' | 'wei'> {
  readonly nonce: string;
  readonly gasLimit: string;
  readonly maxFee: string;
  readonly tip: string;
  readonly blockNumber: string | null;
  readonly wei: string;
}

/** Whose ledger it is. */
export interface SponsorAccount {
  readonly chainId: number;
  /** EIP-55. */
  readonly sender: string;
}

const COLUMNS = `nonce, kind, tenant_id as "tenantId", relay_id as "relayId", to_address as "to", data, gas_limit as "gasLimit",
  max_fee as "maxFee", tip, raw, hashes, sent_at as "sentAt", mined_hash as "minedHash", block_number as "blockNumber", wei, settled`;

/** The sponsor's ledger. */
@Injectable()
export class SponsorTransactionsQueries {
  constructor(
    private readonly signer: SponsorSigner,
    private readonly chain: ChainProfile,
    private readonly clock: Clock,
  ) {}

  async account(): Promise<SponsorAccount> {
    return { chainId: this.chain.chainId, sender: await this.signer.address() };
  }

  now(): Date {
    return this.clock.now();
  }

  /** Whether there is anything to do; without a lock. */
  async hasWork(tx: SystemTx): Promise<boolean> {
    const { chainId, sender } = await this.account();
    const [row] = await tx.sql<{ work: boolean }>(
      `select exists (select from transactions.relay where chain_id = $1 and status = 'queued')
         or exists (select from transactions.sponsor_transaction where chain_id = $1 and sender = $2 and not settled) as work`,
      [chainId, sender],
    );
    return row!.work;
  }

  /**
   * One sponsor decides at a time; the lock ends with the transaction.
   * @param patienceMs a process that is frozen loses it after so long
   */
  async lock(tx: SystemTx, patienceMs: number): Promise<boolean> {
    const { chainId, sender } = await this.account();
    const [lock] = await tx.sql<{ mine: boolean }>('select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as mine', [
      `transactions.sponsor:${chainId}:${sender}`,
    ]);
    if (lock?.mine) await tx.sql("select set_config('idle_in_transaction_session_timeout', $1, true)", [`${patienceMs}ms`]);
    return lock?.mine ?? false;
  }

  /** By nonce. */
  async open(tx: SystemTx): Promise<readonly SponsorTransaction[]> {
    const { chainId, sender } = await this.account();
    const rows = await tx.sql<Row>(
      `select ${COLUMNS} from transactions.sponsor_transaction where chain_id = $1 and sender = $2 and not settled order by nonce`,
      [chainId, sender],
    );
    return rows.map((row) => ({
      ...row,
      nonce: Number(row.nonce),
      gasLimit: BigInt(row.gasLimit),
      maxFee: BigInt(row.maxFee),
      tip: BigInt(row.tip),
      blockNumber: row.blockNumber === null ? null : Number(row.blockNumber),
      wei: BigInt(row.wei),
    }));
  }

  /** In one statement; one with a known nonce replaces it. */
  async save(tx: SystemTx, transactions: readonly SponsorTransaction[], at: Date): Promise<void> {
    if (transactions.length === 0) return;
    const { chainId, sender } = await this.account();
    const rows = transactions.map((of) => ({
      ...{ chain_id: chainId, sender, nonce: of.nonce, kind: of.kind, tenant_id: of.tenantId, relay_id: of.relayId, to_address: of.to },
      ...{ data: of.data, gas_limit: String(of.gasLimit), max_fee: String(of.maxFee), tip: String(of.tip), raw: of.raw, hashes: of.hashes },
      ...{
        sent_at: of.sentAt,
        created_at: at,
        mined_hash: of.minedHash,
        block_number: of.blockNumber,
        wei: String(of.wei),
        settled: of.settled,
      },
    }));
    await tx.sql(
      `insert into transactions.sponsor_transaction as s
       select * from json_populate_recordset(null::transactions.sponsor_transaction, $1::json)
       on conflict (chain_id, sender, nonce) do update set kind = excluded.kind, to_address = excluded.to_address, data = excluded.data,
         gas_limit = excluded.gas_limit, max_fee = excluded.max_fee, tip = excluded.tip, raw = excluded.raw, hashes = excluded.hashes,
         sent_at = excluded.sent_at, mined_hash = excluded.mined_hash, block_number = excluded.block_number, wei = excluded.wei, settled = excluded.settled`,
      [JSON.stringify(rows)],
    );
  }

  /** What everybody may know of the sponsor. @param balance wei */
  async report(tx: SystemTx, balance: bigint, at: Date): Promise<void> {
    const { chainId, sender } = await this.account();
    await tx.sql(
      `insert into transactions.sponsor (chain_id, address, balance, seen_at) values ($1, $2, $3, $4)
       on conflict (chain_id) do update set address = excluded.address, balance = excluded.balance, seen_at = excluded.seen_at`,
      [chainId, sender, String(balance), at],
    );
  }
}
