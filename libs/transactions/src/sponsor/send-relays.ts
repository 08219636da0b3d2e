import { Injectable } from '@nestjs/common';
import { ChainProfile } from '#chain';
import { DomainError } from '#kernel';
import type { SystemTx } from '#persistence';
import { gasLimitFor } from '../relay/account.client.js';
import { type Relay, RelaysQueries } from '../relay/relays.queries.js';
import { SponsorSigner } from '../signing/sponsor-signer.js';
import { signed } from '../signing/sponsor-transaction.client.js';
import type { SponsorPlan } from './resend-transactions.js';
import { mostFor, nextNonce, type SponsorTransaction, within } from './sponsor-transaction.js';
import { SponsorClient, type SponsorView } from './sponsor.client.js';

/** So many wait for a block at a time: nodes take only so many of one sender. */
const MOST_OPEN = 64;

type Call = Pick<SponsorTransaction, 'kind' | 'tenantId' | 'relayId' | 'to' | 'data' | 'gasLimit' | 'maxFee' | 'tip'>;

/** Gives relays that wait a nonce each. */
@Injectable()
export class SendRelays {
  constructor(
    private readonly relays: RelaysQueries,
    private readonly client: SponsorClient,
    private readonly signer: SponsorSigner,
    private readonly chain: ChainProfile,
  ) {}

  /** @param open that have a nonce already, those of the plan among them */
  async send(tx: SystemTx, plan: SponsorPlan, open: readonly SponsorTransaction[], view: SponsorView, at: Date): Promise<void> {
    const room = MOST_OPEN - open.filter(({ minedHash }) => minedHash === null).length;
    if (room <= 0) return;
    const waiting = await this.relays.next(tx, this.chain.chainId, room);
    const late = waiting.filter(({ deadline }) => deadline <= at);
    for (const relay of late) this.giveUp(plan, relay, 'expired', 'its deadline passed before it was sent');
    const inTime = waiting.filter(({ deadline }) => deadline > at);
    const calls = this.affordable(plan, await this.callsOf(plan, inTime, open), view);
    let nonce = nextNonce(view.next, open);
    let left =
      view.balance - open.reduce((sum, { gasLimit, maxFee, minedHash }) => sum + (minedHash === null ? gasLimit * maxFee : 0n), 0n);
    for (const { call, relay } of calls) {
      left -= call.gasLimit * call.maxFee;
      // The rest stays where it is until there are coins.
      if (left < 0n) return;
      await this.add(plan, { ...call, nonce: nonce++ }, at);
      if (call.kind === 'relay') plan.settled.push({ ...relay, status: 'sent', reason: null });
    }
  }

  /** What can be sent now: batches of accounts that are there, and the deployment of others. */
  private async callsOf(plan: SponsorPlan, waiting: readonly Relay[], open: readonly SponsorTransaction[]): Promise<EstimatedCall[]> {
    if (waiting.length === 0) return [];
    const from = await this.signer.address();
    const deployed = await this.client.deployed(waiting.map(({ account }) => account));
    const ready = waiting.filter(({ account }) => deployed.has(account));
    const estimates = await this.client.estimates(ready.map(({ account: to, data }) => ({ from, to, data })));
    const batches = ready.flatMap((relay, i) =>
      this.planned(plan, relay, { kind: 'relay', to: relay.account, data: relay.data }, estimates[i]!),
    );
    const deploying = new Set(open.flatMap(({ kind, data }) => (kind === 'deploy' ? [data] : [])));
    const deployments: EstimatedCall[] = [];
    for (const relay of waiting.filter(({ account }) => !deployed.has(account))) {
      if (deploying.has(relay.deploy)) continue;
      deploying.add(relay.deploy);
      const gas = await this.client.estimate({ from, to: relay.factory, data: relay.deploy });
      deployments.push(...this.planned(plan, relay, { kind: 'deploy', to: relay.factory, data: relay.deploy }, gas));
    }
    return [...deployments, ...batches];
  }

  private planned(
    plan: SponsorPlan,
    relay: Relay,
    call: Pick<SponsorTransaction, 'kind' | 'to' | 'data'>,
    gas: bigint | DomainError,
  ): EstimatedCall[] {
    try {
      if (gas instanceof DomainError) throw gas;
      const { tenantId, id: relayId } = relay;
      return [{ relay, call: { ...call, tenantId, relayId, gasLimit: gasLimitFor(gas) } }];
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.giveUp(plan, relay, 'refused', error.message.replace(/\.$/, ''));
      return [];
    }
  }

  /** None costs more than was reserved for it, whatever gas costs by now. */
  private affordable(plan: SponsorPlan, calls: readonly EstimatedCall[], { fees }: SponsorView): readonly PlannedCall[] {
    return calls.flatMap(({ relay, call }): PlannedCall[] => {
      const price = within(fees, mostFor(call.kind === 'deploy' ? relay.deployWei : relay.batchWei, call.gasLimit));
      if (price) return [{ relay, call: { ...call, ...price } }];
      this.giveUp(plan, relay, 'refused', 'gas costs more than when it was relayed; relay it again');
      return [];
    });
  }

  private giveUp(plan: SponsorPlan, relay: Relay, status: 'expired' | 'refused', reason: string): void {
    plan.settled.push({ ...relay, status, reason });
    plan.givenUp.push({ relay, reason });
  }

  private async add(plan: SponsorPlan, call: Call & { readonly nonce: number }, at: Date): Promise<void> {
    const { raw, hash } = await signed(this.signer, { chainId: this.chain.chainId, ...call });
    plan.changed.push({ ...call, raw, hashes: [hash], sentAt: at, minedHash: null, blockNumber: null, wei: 0n, settled: false });
    plan.raws.push(raw);
  }
}

interface EstimatedCall {
  readonly relay: Relay;
  readonly call: Omit<Call, 'maxFee' | 'tip'>;
}

interface PlannedCall {
  readonly relay: Relay;
  readonly call: Call;
}
