import { Injectable } from '@nestjs/common';
import type { SystemTx } from '#persistence';
import { emptyPlan, ResendTransactions, type SponsorPlan } from './resend-transactions.js';
import { SendRelays } from './send-relays.js';
import { SponsorClient } from './sponsor.client.js';
import { type SponsorState, StorePlan } from './store-plan.js';

/**
 * One tick of the sponsor: what was sent is followed, what waits gets a nonce. All of it is decided and stored in one transaction, under a
 * lock, before anything is sent. So a sponsor that dies leaves nothing that the next one does not know, and no call gets two nonces.
 */
@Injectable()
export class RunSponsor {
  constructor(
    private readonly client: SponsorClient,
    private readonly resend: ResendTransactions,
    private readonly relays: SendRelays,
    private readonly plans: StorePlan,
  ) {}

  hasWork(): Promise<boolean> {
    return this.plans.hasWork();
  }

  /** @returns what nodes refused @throws EngineUnavailable, and a sentence of the signer */
  async tick(): Promise<readonly string[]> {
    const plan = await this.plans.underLock((tx, state) => this.decide(tx, state));
    if (!plan) return [];
    const refused = await this.client.send(plan.raws);
    this.resend.handOver(plan.changed.flatMap(({ hashes }) => hashes.slice(-1)));
    return refused;
  }

  private async decide(tx: SystemTx, { sender, open, relays, at }: SponsorState): Promise<SponsorPlan> {
    const view = await this.client.read(
      sender,
      open.flatMap(({ hashes }) => hashes),
    );
    const plan = emptyPlan();
    await this.resend.follow(plan, open, view, { relays, at });
    const now = new Map([...open, ...plan.changed].map((one) => [one.nonce, one]));
    await this.relays.send(tx, plan, [...now.values()], view, at);
    await this.plans.store(tx, plan, view, at);
    return plan;
  }
}
