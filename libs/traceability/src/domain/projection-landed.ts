import { atPointer, derivedId, kilogramsPer } from '#kernel';
import { scoreKdes } from './event-soft-rules.js';
import { durationMs } from './expiry.js';
import { ALL, type Lot, type MintFacts } from './lot.js';
import { declaredLossKg, massRules, massSums } from './mass-facts.js';
import type { WellKnown } from './process-map.js';
import { type ForeignContent, instant, offset } from './projection-content.js';
import {
  type EventLine,
  type KnownEvent,
  type MintedOutput,
  type Recording,
  assetTypeOf,
  calldataDiffers,
  decimal,
  linesByHash,
  mintedLines,
  wordHash,
} from './projection-event.js';
import { type MapWords, processOf } from './projection-words.js';

/** Where the words behind an event's hashes come from. */
export interface WordSources {
  /** The event as it was prepared here; null for one that was sent to the contract without us. */
  readonly prepared: KnownEvent | null;
  readonly content: ForeignContent | null;
  readonly maps: readonly MapWords[];
  /** The organisation of whoever signed. */
  readonly orgId: string | null;
}

type Part = Readonly<Record<string, unknown>>;

/** Columns of an event's row that landing writes, by where their values come from. */
export interface EventParts {
  readonly landed: Part;
  readonly masses: Part;
  readonly chain: Part;
  readonly content: Part;
}

const NO_LINES: ReadonlyMap<string, EventLine> = new Map();
const LATE_AFTER_MS = 24 * 3_600_000;

/** One event as it landed: the values are the chain's, the words those that it vouches for. */
export class LandedEvent {
  /** Another call landed than the one that was prepared. */
  readonly calldataMismatch: boolean;
  readonly processType: string | null;
  /** The event that this one corrects. */
  supersedes: string | null;
  /** Inputs as the chain took them; set when the log is folded. */
  inputs: readonly EventLine[] = [];
  readonly map: MapWords | null;
  /** As they were minted, main output first. */
  readonly outputs: readonly EventLine[];
  readonly outputTokenIds: readonly bigint[];
  readonly processMapName: string | null;
  readonly processMapVersion: string | null;
  /** Whether the words of what was prepared are about what landed. */
  private readonly own: boolean;
  private readonly words: KnownEvent | ForeignContent | null;
  private readonly lines: ReadonlyMap<string, EventLine>;

  constructor(
    readonly id: string,
    readonly recording: Recording,
    private readonly sources: WordSources,
  ) {
    const { prepared, maps } = sources;
    this.calldataMismatch = prepared !== null && calldataDiffers(prepared.expected, recording);
    this.supersedes = prepared?.supersedes ?? null;
    this.own = prepared !== null && prepared.dataHash === recording.dataHash;
    this.words = this.own ? prepared : sources.content;
    this.outputTokenIds = recording.outputs.map((output) => output.tokenId);
    this.lines = this.own ? linesByHash(prepared!.outputs) : (sources.content?.lines ?? NO_LINES);
    this.outputs = mintedLines(this.lines, recording.outputs);
    const said = this.words?.processType ?? null;
    const process = said !== null && wordHash(said) === recording.processId ? null : processOf(maps, recording.processId);
    this.processType = process ? process.processType : this.vouched(said);
    const { processMapName: name = null, processMapVersion: version = null } = this.words ?? {};
    this.map = process?.map ?? maps.find((map) => map.name === name && map.version === version) ?? null;
    this.processMapName = name ?? this.map?.name ?? null;
    this.processMapVersion = version ?? this.map?.version ?? null;
  }

  /** Whether it was prepared here, under this id. */
  get prepared(): boolean {
    return this.sources.prepared !== null;
  }

  /** The content behind the data hash is known. */
  get resolved(): boolean {
    return this.words !== null;
  }

  get kind(): string | null {
    return (this.own && !this.calldataMismatch ? this.sources.prepared!.kind : null) ?? this.process?.kind ?? null;
  }

  get orgId(): string | null {
    return this.sources.orgId ?? this.sources.prepared?.orgId ?? null;
  }

  get recordTime(): Date {
    return this.sources.prepared?.recordTime ?? this.recording.at.time;
  }

  get eventTime(): Date | null {
    const moved = this.movedTo('eventTime');
    return moved === null ? (this.words?.eventTime ?? null) : instant(moved.value);
  }

  get eventTimeZoneOffset(): string | null {
    const moved = this.movedTo('eventTimeZoneOffset');
    return moved === null ? (this.words?.eventTimeZoneOffset ?? null) : offset(moved.value);
  }

  /** Inputs that went into the outputs: used or packed, not merely observed. */
  get parentTokenIds(): readonly bigint[] {
    const { inputTokenIds, consumed, containmentMode } = this.recording;
    return inputTokenIds.filter((_, i) => containmentMode === 1 || (consumed[i] ?? 0n) !== 0n);
  }

  mint(output: MintedOutput, depth: number): MintFacts {
    const { recording } = this;
    const line = this.lines.get(output.tlcHash);
    const assetType = assetTypeOf(line, output) ?? this.assetTypeInMap(output);
    const named = assetType === null ? undefined : this.map?.assetTypes[assetType];
    return {
      id: derivedId('lot', recording.chainId, recording.contract, output.tokenId),
      tenantId: recording.tenantId,
      chainId: recording.chainId,
      contract: recording.contract,
      tokenId: output.tokenId,
      tlc: line?.tlc ?? output.tlcHash,
      tlcHash: output.tlcHash,
      resolved: line !== undefined,
      assetType,
      assetTypeHash: output.assetType,
      assetTypeName: named?.name ?? null,
      gtin: named?.gtin ?? null,
      processMapName: this.processMapName,
      processMapVersion: this.processMapVersion,
      uom: line?.uom ?? null,
      unitKg: line?.uom ? (kilogramsPer(line.uom, named?.massPerUnitKg)?.toNumber() ?? null) : null,
      quantity: output.quantity === 0n ? null : output.quantity,
      depth,
      expiresAt: output.expiresAt === 0n ? null : new Date(Number(output.expiresAt) * 1000),
      mintEventId: this.id,
      mintTx: recording.txHash,
      mintBlock: recording.at.block,
      mintedAt: recording.at.time,
      dataHash: recording.dataHash,
      metadataCid: recording.cid,
    };
  }

  /** Writes down what the inputs gave. @param lotAfter the lot as it stands after this log */
  took(lotAfter: (tokenId: bigint) => Lot | undefined): void {
    const { inputTokenIds, consumed } = this.recording;
    this.inputs = inputTokenIds.map((tokenId, i) => {
      const lot = lotAfter(tokenId);
      const amount = consumed[i] ?? 0n;
      return {
        tokenId: Number(tokenId),
        tlc: lot?.tlc ?? null,
        assetType: lot?.assetType ?? null,
        quantity: amount === 0n || amount === ALL ? null : decimal(amount),
        uom: lot?.uom ?? null,
        consumption: this.consumptionOf(amount, lot?.usedUp ?? false),
      };
    });
  }

  /** Its inputs left with it. @param gone how much of each, in its own unit; null of an unmeasured lot */
  retired(gone: ReadonlyMap<bigint, EventLine['quantity']>): void {
    this.inputs = this.inputs.map((line) => {
      const quantity = gone.get(BigInt(line.tokenId!));
      return quantity === undefined ? line : { ...line, quantity, consumption: 'retired' };
    });
  }

  /** Columns of the event's row that landing writes: all of them for a foreign one, what changes for one prepared here. */
  columns(): Record<string, unknown> {
    if (this.own && !this.calldataMismatch) return { ...this.landedHalf(), ...this.massHalf(), outputs: this.outputs };
    if (this.own) return { ...this.landedHalf(), ...this.massHalf(), ...this.chainValues() };
    return { ...this.landedHalf(), ...this.massHalf(), ...this.chainValues(), ...this.contentHalf() };
  }

  /** The same of a foreign one, in parts: put together they would be a hash table each, and a history has many. */
  parts(): EventParts {
    return { landed: this.landedHalf(), masses: this.massHalf(), chain: this.chainValues(), content: this.contentHalf() };
  }

  /** In the word of its process, where that is true of what the chain took. */
  private consumptionOf(amount: bigint, usedUp: boolean): string {
    const { containmentMode } = this.recording;
    const word = this.process?.consumption;
    if (containmentMode === 1 || (containmentMode === 2 && word === 'contained')) return 'contained';
    if (amount === 0n) return 'none';
    return word === 'full' || word === 'partial' ? word : usedUp ? 'full' : 'partial';
  }

  private get process(): MapWords['processes'][string] | undefined {
    return this.processType === null ? undefined : this.map?.processes[this.processType];
  }

  /** What content that was not prepared here has where its process keeps a well-known value; null where that is the usual place. */
  private movedTo(name: WellKnown): { readonly value: unknown } | null {
    const pointer = this.own ? undefined : this.process?.fields?.[name];
    return pointer === undefined ? null : { value: atPointer(this.sources.content?.metadata, pointer) };
  }

  private vouched(processType: string | null): string | null {
    return processType !== null && wordHash(processType) === this.recording.processId ? processType : null;
  }

  private assetTypeInMap(output: MintedOutput): string | null {
    return Object.keys(this.map?.assetTypes ?? {}).find((key) => wordHash(key) === output.assetType) ?? null;
  }

  private landedHalf(): Record<string, unknown> {
    const { recording } = this;
    return {
      status: 'recorded',
      actor_address: recording.actor,
      org_id: this.orgId,
      landed_at: recording.at.time,
      updated_at: recording.at.time,
      block_number: recording.at.block,
      block_hash: recording.blockHash,
      log_index: recording.at.logIndex,
      tx_log_index: recording.txLogIndex,
      tx_hash: recording.txHash,
      chain_id: recording.chainId,
      contract_address: recording.contract,
      // Also where nothing was minted: the chain committed to it.
      first_output_token_id: String(recording.firstOutputId),
      output_token_ids: this.outputTokenIds.map(String),
      consumed: recording.consumed.map(String),
      calldata_mismatch: this.calldataMismatch,
      resolved: this.resolved,
      supersedes: this.supersedes,
    };
  }

  private massHalf(): Record<string, unknown> {
    const { inputs, outputs, recording, map } = this;
    const sums = massSums({ containmentMode: recording.containmentMode, inputs, outputs }, map?.assetTypes ?? {});
    return {
      input_kg: sums?.inputKg ?? null,
      main_output_kg: sums?.mainOutputKg ?? null,
      co_product_kg: sums?.coProductKg ?? null,
    };
  }

  private chainValues(): Record<string, unknown> {
    const { recording, outputs } = this;
    return {
      process_type: this.processType,
      process_id: recording.processId,
      process_label: this.process?.label ?? null,
      kind: this.kind,
      containment_mode: recording.containmentMode,
      input_token_ids: recording.inputTokenIds.map(String),
      inputs: this.inputs,
      outputs,
      output_tlc: outputs[0]?.tlc ?? null,
      output_custodian: outputs[0]?.custodian ?? null,
    };
  }

  private contentHalf(): Record<string, unknown> {
    const { content } = this.sources;
    const { process } = this;
    const location = this.wellKnown('location');
    const documents = this.wellKnown('documents');
    const rules = process ? massRules(process, this.map?.defaults ?? undefined) : null;
    return {
      process_map_name: this.processMapName,
      process_map_version: this.processMapVersion,
      process_map_cid: content?.processMapCid ?? this.map?.cid ?? null,
      event_time: this.eventTime,
      event_time_zone_offset: this.eventTimeZoneOffset,
      late: this.late,
      location: typeof location === 'object' && !Array.isArray(location) ? location : null,
      metadata: content?.metadata ?? null,
      documents: Array.isArray(documents) ? documents : [],
      kde: content && process ? scoreKdes({ process }, content.metadata) : null,
      declared_loss_kg: content ? declaredLossKg(content.metadata, process?.fields?.losses ?? '/losses') : null,
      yield_min: rules?.yieldMin ?? null,
      yield_max: rules?.yieldMax ?? null,
      mass_tolerance: rules?.tolerance ?? null,
      warnings: [],
      ipfs_cid: this.recording.cid,
      data_hash: this.recording.dataHash,
      declared_reason: content?.reason ?? null,
    };
  }

  private wellKnown(name: 'location' | 'documents'): unknown {
    const moved = this.movedTo(name);
    return moved === null ? this.sources.content?.metadata[name] : moved.value;
  }

  private get late(): boolean {
    const { eventTime, map } = this;
    if (eventTime === null) return false;
    const after = map?.defaults?.lateAfter;
    return this.recordTime.getTime() - eventTime.getTime() > (after === undefined ? LATE_AFTER_MS : durationMs(after));
  }
}
