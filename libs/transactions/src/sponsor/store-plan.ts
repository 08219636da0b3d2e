import { Injectable } from '@nestjs/common';
import { type SystemTx, UnitOfWork } from '#persistence';
import { type Relay, RelaysQueries } from '../relay/relays.queries.js';
import { TrackedQueries } from '../tracking/tracked-transactions.queries.js';
import type { SponsorPlan } from './resend-transactions.js';
import type { SponsorTransaction } from './sponsor-transaction.js';
import type { SponsorView } from './sponsor.client.js';
import { SponsorTransactionsQueries } from './sponsor-transactions.queries.js';
import { WithdrawRelay } from './withdraw-relay.js';

/** Longer than reading the chain takes, even when several nodes do not answer. */
const LOCK_MS = 60_000;

/** What is known when a tick begins. */
export interface SponsorState {
  /** EIP-55. */
  readonly sender: string;
  readonly open: readonly SponsorTransaction[];
  /** Of the open transactions, by id. */
  readonly relays: ReadonlyMap<string, Relay>;
  readonly at: Date;
}

/** Reads what a tick of the sponsor needs, and stores what it decided. */
@Injectable()
export class StorePlan {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly ledger: SponsorTransactionsQueries,
    private readonly relays: RelaysQueries,
    private readonly tracked: TrackedQueries,
    private readonly withdrawRelay: WithdrawRelay,
  ) {}

  hasWork(): Promise<boolean> {
    return this.unitOfWork.readAsSystem((tx) => this.ledger.hasWork(tx));
  }

  /** @param decide runs in the transaction that holds the lock @returns null while another sponsor decides */
  underLock<T>(decide: (tx: SystemTx, state: SponsorState) => Promise<T>): Promise<T | null> {
    return this.unitOfWork.asSystem(async (tx) => {
      if (!(await this.ledger.lock(tx, LOCK_MS))) return null;
      const at = this.ledger.now();
      const [{ sender }, open] = [await this.ledger.account(), await this.ledger.open(tx)];
      const relays = await this.relays.ofIds(
        tx,
        open.flatMap(({ relayId }) => relayId ?? []),
      );
      return decide(tx, { sender, open, relays, at });
    });
  }

  async store(tx: SystemTx, { changed, settled, givenUp }: SponsorPlan, view: SponsorView, at: Date): Promise<void> {
    const carriers = changed.flatMap(({ kind, relayId, hashes, minedHash }) =>
      kind === 'relay' && relayId !== null ? [{ relayId, txHash: minedHash ?? hashes.at(-1)! }] : [],
    );
    const mined = changed.flatMap(({ relayId, minedHash }) => (relayId !== null && minedHash !== null ? relayId : []));
    // Before the others: what a relay cost is the sum of what was saved.
    await this.ledger.save(tx, changed, at);
    await Promise.all([this.tracked.carry(tx, carriers), this.relays.settle(tx, settled), this.relays.charge(tx, mined)]);
    for (const { relay, reason } of givenUp) await this.withdrawRelay.withdraw(tx, relay, reason, { head: view.head, at });
    await this.ledger.report(tx, view.balance, at);
  }
}
