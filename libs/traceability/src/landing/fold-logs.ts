import { ZERO_BYTES32, type Hex } from '#kernel';
import type { ContractLog, LogBatch } from '#chain';
import { ALL, LotVersion, RETIRE_REASONS, type Landing, type RetireReason, decimal } from '../lots/lot.js';
import { LotFold, type RecordedEffects } from './lot-fold.js';
import { type Line, type KnownRecord } from '../events/event-record.js';
import { expiryOf, isStorable } from '../events/rules/event-times.rules.js';
import type { LandedEvent } from './landed-event.js';
import { CONTRACT_ADMIN, type RolesAt } from '../corrections/corrections.queries.js';
import type { Supersession, Voiding } from './event-landing.queries.js';
import type { RecallChange } from '../lineage/recall-affected.queries.js';
import type { Moved } from './prepared-call.js';
import { eventIdIn, landingOf } from './read-log-batch.js';

/** What the logs of a batch do beyond lots and edges. */
export interface Effects {
  readonly recorded: LandedEvent[];
  readonly minted: { readonly lot: LotVersion; readonly log: Extract<ContractLog, { name: 'LotMinted' }> }[];
  readonly voided: (Voiding & { readonly outputTokenIds: readonly bigint[] })[];
  readonly superseded: Supersession[];
  readonly roles: RolesAt[];
  /** Recalls set and lifted, in order. */
  readonly recalls: RecallChange[];
}

/** What an event did to lots. */
type Deed = Pick<KnownRecord, 'inputTokenIds' | 'consumed' | 'outputTokenIds'>;

/** Applies the logs of one batch, in order, to lots and events. */
export class FoldLogs {
  readonly effects: Effects = { recorded: [], minted: [], voided: [], superseded: [], roles: [], recalls: [] };

  /** Corrections in the batch, by the event that they are about. */
  private readonly corrections = new Map<string, string>();

  constructor(
    private readonly batch: LogBatch,
    readonly lotFold: LotFold,
    private readonly landed: ReadonlyMap<Hex, LandedEvent>,
    private readonly known: ReadonlyMap<string, KnownRecord>,
    private readonly roles: Map<string, number>,
  ) {}

  fold(): void {
    for (const log of this.batch.logs) this.apply(log, landingOf(log));
  }

  private apply(log: ContractLog, at: Landing): void {
    switch (log.name) {
      case 'EventRecorded':
        return this.recorded(this.landed.get(log.args.eventId)!, at);
      case 'LotMinted':
        return this.minted(log, at);
      case 'LotSplit':
        return this.lotFold.split(log.args.tokenId, log.args.partId, log.args.quantity, { ...at, txHash: log.txHash });
      case 'EventVoided':
        return this.voided(log, at);
      case 'EventAmended':
        return this.amended(log, at);
      case 'CustodyOffered':
        return this.lotFold.offered(log.args.tokenIds, log.args.to, log.args.offerNo, at);
      case 'CustodyAccepted':
        return this.lotFold.custodyMoved(log.args.tokenIds, log.args.to, at);
      case 'CustodyRejected':
      case 'CustodyCancelled':
        return this.lotFold.offerClosed(log.args.tokenIds, at);
      case 'CustodyMoved':
        return this.lotFold.custodyMoved([log.args.tokenId], log.args.to, at);
      case 'LotsRecalled':
        return this.recalled(log.args.tokenIds, true, at);
      case 'RecallLifted':
        return this.recalled(log.args.tokenIds, false, at);
      case 'LotsRetired':
        return this.retired(log, at);
      case 'WalletMoved':
        return this.lotFold.walletMoved(log.args.from, log.args.to, at);
      case 'RolesChanged':
        return this.rolesChanged(log, at);
      case 'ProcessScopeChanged': // Nothing about lots or events, like the others below.
      case 'DirectReceiptChanged':
      case 'WalletProposed':
      case 'WalletVetoed':
      case 'PausedUntil':
        return;
    }
  }

  private recorded(event: LandedEvent, at: Landing): void {
    this.lotFold.recorded(effectsOf(event), at);
    event.took((tokenId) => this.lotFold.known(tokenId));
    this.effects.recorded.push(event);
  }

  private minted(log: Extract<ContractLog, { name: 'LotMinted' }>, at: Landing): void {
    const event = this.landed.get(log.args.eventId)!;
    const { containmentMode, inputTokenIds } = event.recording;
    // A container is one deeper than the deepest thing in it (contracts/src/TenantLots.sol, _pack).
    const depth = containmentMode === 1 ? 1 + Math.max(...inputTokenIds.map((tokenId) => this.lotFold.lot(tokenId).depth)) : 0;
    const lot = LotVersion.minted(event.mint(log.args, depth), log.args.custodian, at);
    this.lotFold.minted(lot);
    this.effects.minted.push({ lot, log });
  }

  private voided(log: Extract<ContractLog, { name: 'EventVoided' }>, at: Landing): void {
    const effects = this.effectsOf(log.args.eventId);
    this.lotFold.voided(effects, at);
    const { actor, dataHash } = log.args;
    const declaration = {
      declarationTime: at.time.toISOString(),
      reason: null,
      correctiveEventIDs: [],
      actor,
      senderMismatch: false,
      preparedSender: null,
      dataHash: dataHash === ZERO_BYTES32 ? null : dataHash,
    };
    const outputTokenIds = Array.from({ length: effects.outputCount }, (_, k) => effects.firstOutputId + BigInt(k));
    this.effects.voided.push({ eventId: effects.eventId, block: at.block, txHash: log.txHash, at: at.time, declaration, outputTokenIds });
  }

  /** A correction counts when it comes from the account that recorded the event, or from an admin of the contract. */
  private amended(log: Extract<ContractLog, { name: 'EventAmended' }>, at: Landing): void {
    const { eventId, amendmentId, actor } = log.args;
    const amendment = this.landed.get(amendmentId)!;
    const id = this.idOf(eventId);
    const recordedBy = this.landed.get(eventId)?.recording.actor ?? this.known.get(id)?.actorAddress;
    const admin = ((this.roles.get(actor) ?? 0) & CONTRACT_ADMIN) !== 0;
    amendment.supersedes = recordedBy === actor || admin ? id : null;
    if (amendment.supersedes === null) return;
    const superseding = { supersededBy: amendment.id, block: at.block, at: at.time };
    this.effects.superseded.push({ eventId: id, ...superseding });
    // An earlier correction of the same event no longer counts either.
    const earlier = this.corrections.get(id) ?? this.known.get(id)?.supersededBy ?? null;
    if (earlier !== null && earlier !== amendment.id) this.effects.superseded.push({ eventId: earlier, ...superseding });
    this.corrections.set(id, amendment.id);
    this.reworded(this.deedOf(id), amendment, at);
  }

  /** What follows from the words of the event that made lots is now read from its correction. */
  private reworded(deed: Deed | null, amendment: LandedEvent, at: Landing): void {
    const { process, metadata } = amendment;
    const rule = process?.expiry?.rule;
    if (!deed || !process || !metadata || (rule !== 'pointer' && rule !== 'duration')) return;
    const used = deed.inputTokenIds.filter((_, i) => (deed.consumed[i] ?? 0n) !== 0n);
    const dates = used.flatMap((tokenId) => this.lotFold.known(tokenId)?.expiresAt ?? []);
    const expiry = expiryOf(process, metadata, amendment.eventTimeZoneOffset, dates).at;
    if (expiry === null || isStorable(expiry)) this.lotFold.expiryCorrected(deed.outputTokenIds, expiry, at);
  }

  /** The event at the beginning of a chain of corrections. */
  private deedOf(id: string): Deed | null {
    const landed = [...this.landed.values()].find((event) => event.id === id);
    if (landed?.supersedes) return this.deedOf(landed.supersedes);
    if (landed) return { ...landed.recording, outputTokenIds: landed.outputTokenIds };
    const stored = this.known.get(id);
    return stored?.supersedes ? this.deedOf(stored.supersedes) : (stored ?? null);
  }

  private recalled(tokenIds: readonly bigint[], recalled: boolean, at: Landing): void {
    this.effects.recalls.push(...tokenIds.map((tokenId) => ({ tokenId, recalled, block: at.block })));
    if (recalled) this.lotFold.recalled(tokenIds, at);
    else this.lotFold.recallLifted(tokenIds, at);
  }

  private retired(log: Extract<ContractLog, { name: 'LotsRetired' }>, at: Landing): void {
    const { eventId, tokenIds, quantities, reason } = log.args;
    const event = this.landed.get(eventId);
    event?.retired(goneOf(log));
    event?.compare(tokenIds.map((tokenId, i) => goneFrom(this.lotFold.known(tokenId), quantities[i]!)));
    this.lotFold.retired(tokenIds, quantities, reasonOf(reason), at);
  }

  private rolesChanged({ args }: Extract<ContractLog, { name: 'RolesChanged' }>, at: Landing): void {
    const roles = Number(args.roles);
    this.roles.set(args.account, roles);
    this.effects.roles.push({ account: args.account, roles, block: at.block, logIndex: at.logIndex });
  }

  private idOf(chainEventId: Hex): string {
    return this.landed.get(chainEventId)?.id ?? eventIdIn(this.batch, chainEventId, this.known);
  }

  private effectsOf(chainEventId: Hex): RecordedEffects {
    const inBatch = this.landed.get(chainEventId);
    if (inBatch) return effectsOf(inBatch);
    const event = this.known.get(eventIdIn(this.batch, chainEventId, this.known));
    if (!event) throw new Error(`a log voids event ${chainEventId}, which was not indexed: reindex this chain`);
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

const goneOf = ({ args }: Extract<ContractLog, { name: 'LotsRetired' }>): ReadonlyMap<bigint, Line['quantity']> =>
  new Map(args.tokenIds.map((tokenId, i) => [tokenId, args.quantities[i] === ALL ? null : decimal(args.quantities[i]!)]));

/** @param lot before it was retired */
const goneFrom = (lot: LotVersion | undefined, quantity: bigint): Moved =>
  quantity === ALL ? { quantity: null, isWhole: true } : { quantity, isWhole: lot?.remaining === quantity };

/** A later contract version may have reasons that are unknown here: the lot is retired all the same, as disposed. */
const reasonOf = (reason: number): RetireReason => RETIRE_REASONS[reason as keyof typeof RETIRE_REASONS] ?? 'disposed';
