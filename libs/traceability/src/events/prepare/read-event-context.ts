import { Injectable } from '@nestjs/common';
import { ChainHead } from '#chain';
import { Parties } from '#identity';
import type { Actor } from '#kernel';
import type { TenantTx } from '#persistence';
import type { EventSubmission } from '../../contract/preparation.js';
import { LotQueries } from '../../lots/lots.queries.js';
import type { ValidationContext, NamedLot, Sender } from '../../process-maps/event-reading.js';
import type { PublishedProcess } from '../../process-maps/process-map.js';
import { ProcessMapQueries } from '../../process-maps/process-maps.queries.js';
import { MAX_INPUTS } from '../rules/event-lots.rules.js';
import { ReadCodes } from './read-codes.js';
import { TenantRulesQueries } from '../tenant-rules/tenant-rules.queries.js';

/** What the rules of events look at, read for any number of submissions at once. */
export interface ValidationContexts {
  /** The published processes among those that are named. */
  readonly processes: ReadonlyMap<string, PublishedProcess>;
  /** What open prepared events have reserved of the codes and lots that the submissions name. */
  readonly reservations: ReadonlySet<string>;
  /** @param reservations those of the database and those of earlier submissions of the same batch; not copied */
  of(submission: EventSubmission, reservations: ReadonlySet<string>): Promise<Omit<ValidationContext, 'attached'>>;
}

/** The lots that some submissions name. */
interface NamedLots {
  /** Last final block that has been applied; 0 where no lot is named. */
  readonly finalBlock: number;
  named(submission: EventSubmission): NamedLot[];
  /** The sender, and which custodians of the lots are of the sender's organisation. */
  sender(submission: EventSubmission, lots: readonly NamedLot[]): Sender;
}

/** Reads lots, their histories and their custodians. */
@Injectable()
export class ReadInputs {
  constructor(
    private readonly lots: LotQueries,
    private readonly parties: Parties,
    private readonly head: ChainHead,
  ) {}

  async read(tx: TenantTx, actor: Actor, submissions: readonly EventSubmission[]): Promise<NamedLots> {
    const ids = [...new Set(submissions.flatMap(namedIn))];
    const [lots, { final }] = ids.length === 0 ? [[], { final: 0 }] : await Promise.all([this.named(tx, ids), this.head.position(tx)]);
    const known = new Map(lots.map((lot) => [lot.tokenId, lot]));
    const colleagues = await this.colleagues(tx, actor, submissions, [...known.values()]);
    return {
      finalBlock: known.size === 0 ? 0 : final,
      named: (submission) => [...new Set(namedIn(submission))].flatMap((tokenId) => known.get(tokenId) ?? []),
      sender: ({ from }, named) => ({
        address: from,
        colleagues: new Set(
          from === null ? [] : named.map((lot) => lot.custodian).filter((holder) => holder !== from && colleagues.has(holder)),
        ),
      }),
    };
  }

  private async named(tx: TenantTx, tokenIds: readonly bigint[]): Promise<NamedLot[]> {
    const [facts, histories, held] = await Promise.all([
      this.lots.byTokenIds(tx, tokenIds),
      this.lots.histories(tx, tokenIds),
      this.lots.heldWithin(tx, tokenIds),
    ]);
    const byId = new Map(histories.map((history) => [history.tokenId, history]));
    return facts.map((lot) => ({
      expiresAt: null,
      depth: lot.isContainer ? 1 : 0,
      recallAffected: false,
      heldInside: (lot.isContainer && held.get(lot.tokenId)) || null,
      madeAt: null,
      gwp: null,
      ...byId.get(lot.tokenId),
      ...lot,
    }));
  }

  /** Asks the directory only when somebody other than the sender holds an input. */
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

/** Reads everything that the rules of events look at, with the same few statements however many submissions there are. */
@Injectable()
export class ReadContext {
  constructor(
    private readonly maps: ProcessMapQueries,
    private readonly rules: TenantRulesQueries,
    private readonly lots: ReadInputs,
    private readonly codes: ReadCodes,
  ) {}

  async read(tx: TenantTx, actor: Actor, submissions: readonly EventSubmission[], now: Date): Promise<ValidationContexts> {
    const types = [...new Set(submissions.map((submission) => submission.processType))];
    // Maps change seldom: what depends on them is asked for in the same exchange, and asked again where one has changed.
    const before = this.maps.lastRead(tx, types);
    const likely = before && this.byProcess(tx, submissions, before, now);
    likely?.catch(() => undefined);
    const [processes, lots] = await Promise.all([this.maps.processes(tx, types), this.lots.read(tx, actor, submissions)]);
    const holds = before && types.every((key) => before.get(key)?.map.cid === processes.get(key)?.map.cid);
    const { knownProcessTypes, codes, rules } = await (holds ? likely! : this.byProcess(tx, submissions, processes, now));
    return {
      processes,
      reservations: codes.reservations,
      of: async (submission, reservations) => {
        const published = processes.get(submission.processType) ?? null;
        const named = lots.named(submission);
        return {
          published,
          knownProcessTypes,
          lots: named,
          takenKeys: codes.taken,
          generated: published && (await codes.generate({ submission, published }, reservations)),
          reservations,
          sender: lots.sender(submission, named),
          finalBlock: lots.finalBlock,
          now,
          rules,
        };
      },
    };
  }

  /** What depends on the processes of the submissions. */
  private async byProcess(tx: TenantTx, submissions: readonly EventSubmission[], processes: ValidationContexts['processes'], now: Date) {
    const known = submissions.flatMap((submission) => {
      const published = processes.get(submission.processType);
      return published ? [{ submission, published }] : [];
    });
    const [knownProcessTypes, codes, rules] = await Promise.all([
      known.length === submissions.length ? [] : this.processTypes(tx),
      this.codes.read(tx, known, now),
      this.rules.of(tx),
    ]);
    return { knownProcessTypes, codes, rules };
  }

  private async processTypes(tx: TenantTx): Promise<readonly string[]> {
    return (await this.maps.processTypes(tx)).map(({ processType }) => processType);
  }
}
