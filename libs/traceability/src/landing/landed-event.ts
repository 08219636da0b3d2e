import { type Signature, atPointer, derivedId, gtin14, kilogramsPer, signatureOf } from '#kernel';
import { durationMs } from '../events/rules/event-times.rules.js';
import { ALL, type LotVersion, type MintFacts, decimal } from '../lots/lot.js';
import { type WellKnown, wordHash, type MapWords, processOf } from '../process-maps/process-map.js';
import { type ExternalContent, instant, offset } from './external-content.js';
import {
  type EventContentState,
  type KeyedLine,
  type Line,
  type KnownRecord,
  type MintedOutput,
  type Recording,
  assetTypeOf,
  linesByHash,
  mintedLines,
} from '../events/event-record.js';
import { type Moved, calldataDiffers, handedOver, quantitiesDiffer } from './prepared-call.js';

/** The sources of the words behind an event's hashes. */
interface WordSources {
  /** The event as it was prepared here; null for one that was sent to the contract directly. */
  readonly prepared: KnownRecord | null;
  readonly content: ExternalContent | null;
  readonly maps: readonly MapWords[];
  /** The organisation of the signer's wallet; null for a wallet that nobody here has. */
  readonly orgId: string | null;
  /** The block from which the tenant seals; null before. */
  readonly sealedFrom: number | null;
}

const NO_LINES: ReadonlyMap<string, KeyedLine> = new Map();
const gtinOf = (line: KeyedLine | undefined): string | null => (line?.gtin ? gtin14(line.gtin) : null);
const LATE_AFTER_MS = 24 * 3_600_000;

/** One event as it landed: values come from the chain, words from content whose hash is on chain. */
export class LandedEvent {
  /** Another call landed than the one that was prepared; its quantities are compared when the log is folded. */
  calldataMismatch: boolean;
  private readonly signature: Signature;
  readonly processType: string | null;
  /** The event that this one corrects. */
  supersedes: string | null;
  /** Inputs as the chain took them; set when the log is folded. */
  inputs: readonly Line[] = [];
  readonly map: MapWords | null;
  /** As they were minted, main output first. */
  readonly outputs: readonly Line[];
  readonly outputTokenIds: readonly bigint[];
  readonly processMapName: string | null;
  readonly processMapVersion: string | null;
  /** What was prepared here describes what landed. */
  readonly own: boolean;
  private readonly words: KnownRecord | ExternalContent | null;
  private readonly lines: ReadonlyMap<string, KeyedLine>;

  constructor(
    readonly id: string,
    readonly recording: Recording,
    private readonly sources: WordSources,
  ) {
    const { prepared, maps } = sources;
    this.calldataMismatch = prepared !== null && calldataDiffers(prepared.expected, recording);
    const preparedFor = prepared && { sender: prepared.expected?.from ?? null, orgId: prepared.orgId };
    this.signature = signatureOf(preparedFor, { address: recording.actor, orgId: sources.orgId });
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

  /** Somebody else signed than the sender it was prepared for. */
  get senderMismatch(): boolean {
    return this.signature.senderMismatch;
  }

  /** Whom it was prepared for, where somebody else signed; null when no sender was named. */
  get preparedSender(): string | null {
    return this.signature.preparedSender;
  }

  /** Whether it was prepared here, under this id. */
  get prepared(): boolean {
    return this.sources.prepared !== null;
  }

  /** Its call split lots: it was prepared for the lots, and the log names their parts. */
  get namesParts(): boolean {
    const { inputTokenIds, splitFrom } = this.recording;
    return inputTokenIds.some((tokenId) => splitFrom.has(tokenId));
  }

  /** The content behind the data hash is known. */
  get resolved(): boolean {
    return this.words !== null;
  }

  /** The content that was found for one that was not prepared here. */
  get content(): ExternalContent | null {
    return this.sources.content;
  }

  /** Of content that was not prepared here. One of version 1 that came after a sealed one is no content of this service. */
  get contentState(): EventContentState | null {
    const { content, sealedFrom } = this.sources;
    if (content?.version !== 1) return content?.state ?? null;
    return sealedFrom !== null && sealedFrom < this.recording.at.block ? 'downgraded' : content.state;
  }

  get kind(): string | null {
    return (this.own && !this.calldataMismatch ? this.sources.prepared!.kind : null) ?? this.process?.kind ?? null;
  }

  /** Who signed has recorded it, not who prepared it. */
  get orgId(): string | null {
    return this.sources.orgId;
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
      key: line?.key ?? output.tlcHash,
      resolved: line !== undefined,
      assetType,
      assetTypeHash: output.assetType,
      assetTypeName: named?.name ?? null,
      gtin: gtinOf(line) ?? (named?.gtin === undefined ? null : gtin14(named.gtin)),
      serial: line?.serial ?? null,
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
      splitFrom: null,
    };
  }

  /** Writes down what the inputs gave. @param lotAfter the lot after this log */
  took(lotAfter: (tokenId: bigint) => LotVersion | undefined): void {
    const { inputTokenIds, consumed } = this.recording;
    const expected = this.sources.prepared?.expected ?? null;
    this.compare(inputTokenIds.flatMap((tokenId) => handedOver(expected, this.recording, lotAfter(tokenId)) ?? []));
    this.inputs = inputTokenIds.map((tokenId, i) => {
      const lot = lotAfter(tokenId);
      const amount = consumed[i] ?? 0n;
      return {
        tokenId: Number(tokenId),
        tlc: lot?.tlc ?? null,
        gtin: lot?.gtin ?? null,
        serial: lot?.serial ?? null,
        assetType: lot?.assetType ?? null,
        quantity: amount === 0n || amount === ALL ? null : decimal(amount),
        uom: lot?.uom ?? null,
        consumption: this.consumptionOf(amount, lot?.usedUp ?? false),
      };
    });
  }

  /** Its inputs were retired by it. @param gone how much of each, in its own unit; null of an unmeasured lot */
  retired(gone: ReadonlyMap<bigint, Line['quantity']>): void {
    this.inputs = this.inputs.map((line) => {
      const quantity = gone.get(BigInt(line.tokenId!));
      return quantity === undefined ? line : { ...line, quantity, consumption: 'retired' };
    });
  }

  /** What its call moved of each input. */
  compare(moved: readonly Moved[]): void {
    this.calldataMismatch ||= quantitiesDiffer(this.sources.prepared?.expected ?? null, moved);
  }

  /** In the word of its process, where that is true of what the chain took. */
  private consumptionOf(amount: bigint, usedUp: boolean): string {
    const { containmentMode } = this.recording;
    const word = this.process?.consumption;
    if (containmentMode === 1 || (containmentMode === 2 && word === 'contained')) return 'contained';
    if (amount === 0n) return 'none';
    return word === 'full' || word === 'partial' ? word : usedUp ? 'full' : 'partial';
  }

  /** What it says; null where nobody knows. */
  get metadata(): Readonly<Record<string, unknown>> | null {
    return this.words?.metadata ?? null;
  }

  get process(): MapWords['processes'][string] | undefined {
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

  /** The value that its process keeps under this name. */
  wellKnown(name: 'location' | 'documents'): unknown {
    const moved = this.movedTo(name);
    return moved === null ? this.sources.content?.metadata[name] : moved.value;
  }

  /** Recorded later after it happened than its process map allows. */
  get late(): boolean {
    const { eventTime, map } = this;
    if (eventTime === null) return false;
    const after = map?.defaults?.lateAfter;
    return this.recordTime.getTime() - eventTime.getTime() > (after === undefined ? LATE_AFTER_MS : durationMs(after));
  }
}
