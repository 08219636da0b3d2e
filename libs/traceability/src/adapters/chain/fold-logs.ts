import { ZERO_BYTES32, type Hex } from '#kernel';
import type { LandedLog, TenantLogs } from '#chain';
import { ALL, Lot, RETIRE_REASONS, type Landing, type RetireReason } from '../../domain/lot.js';
import { Projection, type RecordedEffects } from '../../domain/projection.js';
import { decimal, type EventLine, type KnownEvent } from '../../domain/projection-event.js';
import type { LandedEvent } from '../../domain/projection-landed.js';
import { CONTRACT_ADMIN, type RolesAt } from '../persistence/account-roles.js';
import type { Supersession, Voiding } from '../persistence/event-landing.js';
import type { RecallChange } from '../persistence/recall-affected.js';
import { eventIdIn, landingOf } from './batch-of-logs.js';

/** What the logs of a batch do beyond lots and edges. */
export interface Effects {
  readonly recorded: LandedEvent[];
  readonly minted: { readonly lot: Lot; readonly log: Extract<LandedLog, { name: 'LotMinted' }> }[];
  readonly voided: (Voiding & { readonly outputTokenIds: readonly bigint[] })[];
  readonly superseded: Supersession[];
  readonly roles: RolesAt[];
  /** Recalls set and lifted, in order. */
  readonly recalls: RecallChange[];
}

/** Turns the logs of one batch, in order, into calls of the domain. */
export class FoldLogs {
  readonly effects: Effects = { recorded: [], minted: [], voided: [], superseded: [], roles: [], recalls: [] };

  constructor(
    private readonly batch: TenantLogs,
    readonly projection: Projection,
    private readonly landed: ReadonlyMap<Hex, LandedEvent>,
    private readonly known: ReadonlyMap<string, KnownEvent>,
    private readonly roles: Map<string, number>,
  ) {}

  fold(): void {
    for (const log of this.batch.logs) this.apply(log, landingOf(log));
  }

  private apply(log: LandedLog, at: Landing): void {
    const { projection, effects } = this;
    switch (log.name) {
      case 'EventRecorded':
        return this.recorded(this.landed.get(log.args.eventId)!, at);
      case 'LotMinted':
        return this.minted(log, at);
      case 'EventVoided':
        return this.voided(log, at);
      case 'EventAmended':
        return this.amended(log, at);
      case 'CustodyOffered':
        return projection.offered(log.args.tokenIds, log.args.to, log.args.offerNo, at);
      case 'CustodyAccepted':
        return projection.custodyMoved(log.args.tokenIds, log.args.to, at);
      case 'CustodyRejected':
      case 'CustodyCancelled':
        return projection.offerClosed(log.args.tokenIds, at);
      case 'CustodyMoved':
        return projection.custodyMoved([log.args.tokenId], log.args.to, at);
      case 'LotsRecalled':
        effects.recalls.push(...log.args.tokenIds.map((tokenId) => ({ tokenId, recalled: true, block: at.block })));
        return projection.recalled(log.args.tokenIds, at);
      case 'RecallLifted':
        effects.recalls.push(...log.args.tokenIds.map((tokenId) => ({ tokenId, recalled: false, block: at.block })));
        return projection.recallLifted(log.args.tokenIds, at);
      case 'LotsRetired':
        this.landed.get(log.args.eventId)?.retired(goneOf(log));
        return projection.retired(log.args.tokenIds, log.args.quantities, reasonOf(log.args.reason), at);
      case 'WalletMoved':
        return projection.walletMoved(log.args.from, log.args.to, at);
      case 'RolesChanged':
        this.roles.set(log.args.account, Number(log.args.roles));
        effects.roles.push({ account: log.args.account, roles: Number(log.args.roles), block: at.block, logIndex: at.logIndex });
        return;
      // Nothing about lots or events.
      case 'ProcessScopeChanged':
      case 'DirectReceiptChanged':
      case 'WalletProposed':
      case 'WalletVetoed':
      case 'PausedUntil':
        return;
    }
  }

  private recorded(event: LandedEvent, at: Landing): void {
    this.projection.recorded(effectsOf(event), at);
    event.took((tokenId) => this.projection.known(tokenId));
    this.effects.recorded.push(event);
  }

  private minted(log: Extract<LandedLog, { name: 'LotMinted' }>, at: Landing): void {
    const event = this.landed.get(log.args.eventId)!;
    const { containmentMode, inputTokenIds } = event.recording;
    // A container is one deeper than the deepest thing in it (contracts/src/TenantLots.sol, _pack).
    const depth = containmentMode === 1 ? 1 + Math.max(...inputTokenIds.map((tokenId) => this.projection.lot(tokenId).depth)) : 0;
    const lot = Lot.minted(event.mint(log.args, depth), log.args.custodian, at);
    this.projection.minted(lot);
    this.effects.minted.push({ lot, log });
  }

  private voided(log: Extract<LandedLog, { name: 'EventVoided' }>, at: Landing): void {
    const effects = this.effectsOf(log.args.eventId);
    this.projection.voided(effects, at);
    const { actor, dataHash } = log.args;
    const declaration = {
      declarationTime: at.time.toISOString(),
      reason: null,
      correctiveEventIDs: [],
      actor,
      dataHash: dataHash === ZERO_BYTES32 ? null : dataHash,
    };
    const outputTokenIds = Array.from({ length: effects.outputCount }, (_, k) => effects.firstOutputId + BigInt(k));
    this.effects.voided.push({ eventId: effects.eventId, block: at.block, txHash: log.txHash, at: at.time, declaration, outputTokenIds });
  }

  /** A correction counts when it comes from whoever recorded the event, or from an admin of the contract. */
  private amended(log: Extract<LandedLog, { name: 'EventAmended' }>, at: Landing): void {
    const { eventId, amendmentId, actor } = log.args;
    const amendment = this.landed.get(amendmentId)!;
    const id = this.idOf(eventId);
    const recordedBy = this.landed.get(eventId)?.recording.actor ?? this.known.get(id)?.actorAddress;
    const admin = ((this.roles.get(actor) ?? 0) & CONTRACT_ADMIN) !== 0;
    amendment.supersedes = recordedBy === actor || admin ? id : null;
    if (amendment.supersedes) this.effects.superseded.push({ eventId: id, supersededBy: amendment.id, block: at.block, at: at.time });
  }

  private idOf(chainEventId: Hex): string {
    return this.landed.get(chainEventId)?.id ?? eventIdIn(this.batch, chainEventId, this.known);
  }

  private effectsOf(chainEventId: Hex): RecordedEffects {
    const inBatch = this.landed.get(chainEventId);
    if (inBatch) return effectsOf(inBatch);
    const event = this.known.get(eventIdIn(this.batch, chainEventId, this.known));
    if (!event) throw new Error(`a log voids event ${chainEventId}, which was not projected: reindex this chain`);
    return {
      eventId: event.id,
      mode: event.containmentMode,
      inputTokenIds: event.inputTokenIds,
      consumed: event.consumed,
      firstOutputId: event.firstOutputTokenId ?? 0n,
      outputCount: event.outputTokenIds.length,
    };
  }
}

const effectsOf = ({ id, recording }: LandedEvent): RecordedEffects => ({
  eventId: id,
  mode: recording.containmentMode,
  inputTokenIds: recording.inputTokenIds,
  consumed: recording.consumed,
  firstOutputId: recording.firstOutputId,
  outputCount: recording.outputs.length,
});

const goneOf = ({ args }: Extract<LandedLog, { name: 'LotsRetired' }>): ReadonlyMap<bigint, EventLine['quantity']> =>
  new Map(args.tokenIds.map((tokenId, i) => [tokenId, args.quantities[i] === ALL ? null : decimal(args.quantities[i]!)]));

/** A reason of a later contract version is none that we know: it is retired all the same. */
const reasonOf = (reason: number): RetireReason => RETIRE_REASONS[reason as keyof typeof RETIRE_REASONS] ?? 'disposed';
