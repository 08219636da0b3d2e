import { Injectable } from '@nestjs/common';
import { ChainProfile } from '#chain';
import type { Relay, SettledRelay } from '../relay/relays.queries.js';
import { SponsorSigner } from '../signing/sponsor-signer.js';
import { signed } from '../signing/sponsor-transaction.client.js';
import { gapsBefore, isTooLate, mostFor, type Price, replacing, type SponsorTransaction } from './sponsor-transaction.js';
import { SponsorSettings } from './sponsor.settings.js';
import type { SponsorView } from './sponsor.client.js';

/** What the sponsor does next. */
export interface SponsorPlan {
  /** To be stored before anything is sent. */
  readonly changed: SponsorTransaction[];
  /** To be sent, in this order. */
  readonly raws: string[];
  readonly settled: SettledRelay[];
  /** Relays that will not land. */
  readonly givenUp: { readonly relay: Relay; readonly reason: string }[];
}

export const emptyPlan = (): SponsorPlan => ({ changed: [], raws: [], settled: [], givenUp: [] });

const FILL_GAS = 21_000n;
/** A block has the nonce, and no receipt of ours is found for so long: somebody else used the key. */
const FOREIGN_AFTER_MS = 30_000;

const reservedFor = ({ kind }: SponsorTransaction, { batchWei, deployWei }: Relay): bigint => (kind === 'deploy' ? deployWei : batchWei);

/** What becomes of transactions that were sent: they are mined, or sent again, with higher fees at last. */
@Injectable()
export class ResendTransactions {
  /** Hashes that this process has handed to a node. */
  private readonly handedOver = new Set<string>();
  private readonly foreignSince = new Map<number, Date>();

  constructor(
    private readonly signer: SponsorSigner,
    private readonly chain: ChainProfile,
    private readonly settings: SponsorSettings,
  ) {}

  handOver(hashes: readonly string[]): void {
    for (const hash of hashes) this.handedOver.add(hash);
  }

  /** @param relays of the open transactions, by id */
  async follow(
    plan: SponsorPlan,
    open: readonly SponsorTransaction[],
    view: SponsorView,
    { relays, at }: { readonly relays: ReadonlyMap<string, Relay>; readonly at: Date },
  ): Promise<void> {
    for (const sent of open) {
      const relay = sent.kind === 'fill' ? undefined : relays.get(sent.relayId!);
      const minedHash = sent.hashes.find((hash) => view.receipts.has(hash));
      if (minedHash !== undefined) this.mined(plan, sent, minedHash, view, relay);
      else if (sent.nonce < view.next) this.lost(plan, sent, relay, at);
      else await this.waits(plan, sent, view, { relay, at });
    }
    for (const nonce of gapsBefore(view.next, open)) await this.fill(plan, nonce, view);
  }

  private mined(plan: SponsorPlan, sent: SponsorTransaction, minedHash: string, view: SponsorView, relay: Relay | undefined): void {
    const { blockNumber, succeeded, wei } = view.receipts.get(minedHash)!;
    const settled = view.head - blockNumber + 1 >= this.chain.confirmations;
    this.foreignSince.delete(sent.nonce);
    if (settled) for (const hash of sent.hashes) this.handedOver.delete(hash);
    if (sent.minedHash === minedHash && sent.blockNumber === blockNumber && !settled) return;
    plan.changed.push({ ...sent, minedHash, blockNumber, wei, settled });
    // A relay that expired meanwhile, and landed all the same on another branch, has landed.
    if (relay && sent.kind === 'relay') plan.settled.push({ ...relay, status: succeeded ? 'mined' : 'reverted', reason: null });
  }

  private lost(plan: SponsorPlan, sent: SponsorTransaction, relay: Relay | undefined, at: Date): void {
    const since = this.foreignSince.get(sent.nonce) ?? at;
    this.foreignSince.set(sent.nonce, since);
    if (at.getTime() - since.getTime() < FOREIGN_AFTER_MS) return;
    plan.changed.push({ ...sent, settled: true });
    // The account takes a batch once, so it is safe to send it again.
    if (relay && sent.kind === 'relay') plan.settled.push({ ...relay, status: 'queued', reason: null });
  }

  private async waits(
    plan: SponsorPlan,
    sent: SponsorTransaction,
    view: SponsorView,
    { relay, at }: { readonly relay: Relay | undefined; readonly at: Date },
  ): Promise<void> {
    if (relay && isTooLate(relay.deadline, at)) {
      if (sent.kind === 'relay') this.expire(plan, relay);
      const emptied = { ...sent, kind: 'fill' as const, to: await this.signer.address(), data: '0x', gasLimit: FILL_GAS };
      return this.replace(plan, emptied, replacing(sent, view.fees, null)!, at);
    }
    const isDue = at.getTime() - sent.sentAt.getTime() >= this.settings.replaceAfterMs;
    const fees = isDue ? replacing(sent, view.fees, relay ? mostFor(reservedFor(sent, relay), sent.gasLimit) : null) : null;
    if (fees) return this.replace(plan, sent, fees, at);
    // Its block left the chain, the process that signed it ended before it sent it, or nodes may have forgotten it.
    const isGone = sent.minedHash !== null || isDue;
    if (isGone) plan.changed.push({ ...sent, minedHash: null, blockNumber: null, wei: 0n, ...(isDue && { sentAt: at }) });
    if (relay && sent.kind === 'relay' && sent.minedHash !== null) plan.settled.push({ ...relay, status: 'sent', reason: null });
    if (isGone || !this.handedOver.has(sent.hashes.at(-1)!)) plan.raws.push(sent.raw);
  }

  private expire(plan: SponsorPlan, relay: Relay): void {
    const reason = 'no block took it before its deadline';
    plan.settled.push({ ...relay, status: 'expired', reason });
    plan.givenUp.push({ relay, reason });
  }

  private async replace(plan: SponsorPlan, sent: SponsorTransaction, fees: Price, at: Date): Promise<void> {
    const { raw, hash } = await signed(this.signer, { chainId: this.chain.chainId, ...sent, ...fees });
    plan.changed.push({ ...sent, ...fees, raw, hashes: [...sent.hashes, hash], sentAt: at, minedHash: null, blockNumber: null, wei: 0n });
    plan.raws.push(raw);
  }

  private async fill(plan: SponsorPlan, nonce: number, view: SponsorView): Promise<void> {
    const { maxFee, tip } = view.fees;
    const call = { nonce, to: await this.signer.address(), data: '0x', gasLimit: FILL_GAS, maxFee, tip };
    const { raw, hash } = await signed(this.signer, { chainId: this.chain.chainId, ...call });
    const none = { tenantId: null, relayId: null, minedHash: null, blockNumber: null, wei: 0n, settled: false };
    plan.changed.push({ ...call, ...none, kind: 'fill', raw, hashes: [hash], sentAt: new Date(0) });
    plan.raws.push(raw);
  }
}
