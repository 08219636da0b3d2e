import { Injectable } from '@nestjs/common';
import { ChainHead } from '#chain';
import { Parties } from '#identity';
import type { Actor } from '#kernel';
import type { TenantTx } from '#persistence';
import { type EventSubmission, Lots } from '../contract.js';
import type { NamedLot, Sender } from '../domain/event-context.js';
import { MAX_INPUTS } from '../domain/event-lots.js';
import { LotBackgrounds } from '../ports.js';

/** What is known of the lots that some submissions name. */
export interface GatheredLots {
  /** Last final block of the projection; 0 where no lot is named. */
  readonly finalBlock: number;
  named(submission: EventSubmission): NamedLot[];
  /** Who holds these lots and is of the sender's organisation. */
  sender(submission: EventSubmission, lots: readonly NamedLot[]): Sender;
}

/** Lots, their backgrounds and their holders, for any number of submissions in one question each. */
@Injectable()
export class GatherLots {
  constructor(
    private readonly lots: Lots,
    private readonly backgrounds: LotBackgrounds,
    private readonly parties: Parties,
    private readonly head: ChainHead,
  ) {}

  async gather(tx: TenantTx, actor: Actor, submissions: readonly EventSubmission[]): Promise<GatheredLots> {
    const asked = [...new Set(submissions.flatMap(namedIn))];
    const known = new Map((asked.length === 0 ? [] : await this.named(tx, asked)).map((lot) => [lot.tokenId, lot]));
    const colleagues = await this.colleagues(tx, actor, submissions, [...known.values()]);
    return {
      finalBlock: known.size === 0 ? 0 : (await this.head.position(tx)).final,
      named: (submission) => [...new Set(namedIn(submission))].flatMap((tokenId) => known.get(tokenId) ?? []),
      sender: ({ from }, lots) => ({
        address: from,
        colleagues: new Set(
          from === null ? [] : lots.map((lot) => lot.custodian).filter((holder) => holder !== from && colleagues.has(holder)),
        ),
      }),
    };
  }

  private async named(tx: TenantTx, tokenIds: readonly bigint[]): Promise<NamedLot[]> {
    const [facts, backgrounds] = [await this.lots.byTokenIds(tx, tokenIds), await this.backgrounds.of(tx, tokenIds)];
    const containers = facts.filter(({ isContainer }) => isContainer).map(({ tokenId }) => tokenId);
    const held = await this.lots.heldWithin(tx, containers);
    const byId = new Map(backgrounds.map((background) => [background.tokenId, background]));
    return facts.map((lot) => ({
      expiresAt: null,
      depth: lot.isContainer ? 1 : 0,
      recallAffected: false,
      heldInside: held.get(lot.tokenId) ?? null,
      madeAt: null,
      gwp: null,
      ...byId.get(lot.tokenId),
      ...lot,
    }));
  }

  /** Asked only when somebody else than a sender holds an input. */
  private async colleagues(
    tx: TenantTx,
    actor: Actor,
    submissions: readonly EventSubmission[],
    lots: readonly NamedLot[],
  ): Promise<ReadonlySet<string>> {
    const senders = new Set(submissions.map((submission) => submission.from));
    const holders = [...new Set(lots.map((lot) => lot.custodian))];
    const others = senders.size === 1 ? holders.filter((holder) => !senders.has(holder)) : holders;
    if (others.length === 0 || (senders.size === 1 && senders.has(null))) return new Set();
    const labels = actor.orgId === null ? null : await this.parties.labels(tx, others);
    return new Set(others.filter((holder) => actor.wallets.includes(holder) || labels?.get(holder)?.orgId === actor.orgId));
  }
}

const namedIn = (submission: EventSubmission): readonly bigint[] => submission.inputTokenIds.slice(0, MAX_INPUTS);
