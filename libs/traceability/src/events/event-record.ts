import { type Hex, isSscc, keccakOf, LotKey } from '#kernel';
import { CONTENT_STATES } from '#envelope';
import { type Landing, decimal } from '../lots/lot.js';
import { wordHash } from '../process-maps/process-map.js';

/** Status of an event; what is recorded can be voided or superseded on chain, never deleted. */
export const EVENT_STATUSES = ['prepared', 'submitted', 'recorded', 'failed', 'expired', 'voided', 'superseded'] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

/** What is known of its content, for good; `downgraded` is of version 1, after the tenant sealed its first one. */
export const EVENT_CONTENT_STATES = [...CONTENT_STATES, 'downgraded'] as const;
export type EventContentState = (typeof EVENT_CONTENT_STATES)[number];

/** Why a prepared event cannot be recorded: another one landed with a code of it, or its own transaction failed. */
export const FAILURE_REASONS = ['tlc_taken', 'transaction_failed'] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** One line of `inputs` or `outputs` of an event, as its row keeps it. Quantities are decimals in `uom`. */
export interface Line {
  readonly tokenId?: number | null;
  readonly tlc?: string | null;
  readonly gtin?: string | null;
  readonly serial?: string | null;
  /** The text whose hash is on chain. */
  readonly key?: string | null;
  readonly tlcHash?: string | null;
  readonly assetType?: string | null;
  readonly role?: string | null;
  readonly quantity?: number | string | null;
  readonly uom?: string | null;
  readonly consumption?: string | null;
  readonly custodian?: string | null;
  readonly expiresAt?: string | null;
}

/** A row of traceability.event as it is read for an answer. */
export interface EventRecord {
  readonly id: string;
  readonly processType: string | null;
  readonly processId: string;
  readonly processLabel: string | null;
  readonly processMapName: string | null;
  readonly processMapVersion: string | null;
  readonly kind: string | null;
  readonly containmentMode: number;
  readonly status: string;
  readonly failureReason: FailureReason | null;
  readonly eventTime: Date | null;
  readonly eventTimeZoneOffset: string | null;
  readonly recordTime: Date;
  readonly landedAt: Date | null;
  readonly late: boolean;
  readonly actorAddress: string | null;
  /** Of the party with this address. */
  readonly actorOrgName: string | null;
  readonly orgId: string | null;
  /** Of who recorded what a correction is about; of another event its own. */
  readonly deedOrgId: string | null;
  readonly inputTokenIds: readonly string[];
  readonly inputs: readonly Line[];
  readonly outputTlc: string | null;
  readonly outputCustodian: string | null;
  readonly outputTokenIds: readonly string[];
  readonly outputs: readonly Line[];
  readonly location: Readonly<Record<string, unknown>> | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly documents: readonly Readonly<Record<string, unknown>>[];
  readonly kde: Readonly<Record<string, unknown>> | null;
  readonly mass: Readonly<Record<string, unknown>> | null;
  readonly warnings: readonly string[];
  readonly ipfsCid: string | null;
  readonly dataHash: string | null;
  readonly txHash: string | null;
  readonly blockNumber: string | null;
  readonly logIndex: number | null;
  readonly chainId: string | null;
  readonly contractAddress: string | null;
  readonly calldataMismatch: boolean;
  readonly senderMismatch: boolean;
  /** Of a sender mismatch: the wallet that it was prepared for. */
  readonly preparedSender: string | null;
  /** Of a relayed call: id of the passkey, and the sponsor who paid. */
  readonly signedBy: string | null;
  readonly paidBy: string | null;
  readonly resolved: boolean;
  readonly contentState: EventContentState | null;
  /** Pointers into its content whose values were erased. */
  readonly erased: readonly string[];
  readonly errorDeclaration: Readonly<Record<string, unknown>> | null;
  readonly supersedes: string | null;
  readonly supersededBy: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The calldata that an event was prepared as: arguments by name, integers as decimal strings. */
export interface ExpectedCall {
  readonly method: string;
  /** EIP-55; null when it was prepared without a sender. */
  readonly from?: string | null;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What landing reads of an event that is stored already. */
export interface KnownRecord extends Pick<EventRecord, Repeated> {
  readonly chainEventId: string;
  /** Of the format of its content; null while it is not known. */
  readonly contentVersion: number | null;
  readonly expected: ExpectedCall | null;
  /** Of the contract where it landed; null before. */
  readonly contract: string | null;
  readonly inputTokenIds: readonly bigint[];
  readonly consumed: readonly bigint[];
  readonly firstOutputTokenId: bigint | null;
  readonly outputTokenIds: readonly bigint[];
  /** Of a correction: what is said instead. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

type Repeated =
  | ('id' | 'status' | 'processType' | 'processMapName' | 'processMapVersion' | 'kind' | 'containmentMode')
  | ('eventTime' | 'eventTimeZoneOffset' | 'recordTime' | 'actorAddress' | 'orgId')
  | ('outputTlc' | 'outputCustodian' | 'outputs' | 'dataHash' | 'supersedes' | 'supersededBy');

/** An `EventRecorded` log, where it landed, and the mints that followed it. */
export interface Recording {
  readonly tenantId: string;
  readonly chainId: number;
  /** EIP-55. */
  readonly contract: string;
  readonly at: Landing;
  readonly blockHash: Hex;
  readonly txHash: Hex;
  readonly txLogIndex: number;
  /** The CID of `dataHash`. */
  readonly cid: string;
  readonly chainEventId: Hex;
  readonly processId: Hex;
  readonly actor: string;
  readonly dataHash: Hex;
  readonly containmentMode: number;
  readonly inputTokenIds: readonly bigint[];
  readonly consumed: readonly bigint[];
  readonly firstOutputId: bigint;
  readonly outputs: readonly MintedOutput[];
  /** Parts that the same call split, by token id: the lots that the call named. */
  readonly splitFrom: ReadonlyMap<bigint, bigint>;
}

export interface MintedOutput {
  readonly tokenId: bigint;
  readonly tlcHash: Hex;
  readonly assetType: Hex;
  readonly custodian: string;
  /** 0 = unmeasured. */
  readonly quantity: bigint;
  /** Unix seconds, 0 = never. */
  readonly expiresAt: bigint;
}

/** A line whose key is known. */
export type KeyedLine = Line & { readonly tlc: string; readonly key: string };

/** The lines of an event by the hash of their key: the texts of the hashes of its outputs. */
export const linesByHash = (lines: readonly Line[]): ReadonlyMap<string, KeyedLine> =>
  new Map(lines.flatMap((line) => keyed(line).map((one): [string, KeyedLine] => [keccakOf(one.key), one])));

/** Where a line does not say its key: each that it may have, of which the chain has one. */
function keyed(line: Line): KeyedLine[] {
  const { tlc, gtin, serial, key } = line;
  if (typeof tlc !== 'string') return [];
  if (typeof key === 'string') return [line as KeyedLine];
  const keys = new Set([tlc, LotKey.of({ tlc, gtin: gtin ?? null, serial: serial ?? null }).text]);
  if (isSscc(tlc)) keys.add(LotKey.of({ tlc, isContainer: true }).text);
  return [...keys].map((text) => ({ ...line, tlc, key: text }));
}

/** Only texts whose hash is on chain count. */
export const assetTypeOf = (line: Line | undefined, output: MintedOutput): string | null =>
  line?.assetType && wordHash(line.assetType) === output.assetType ? line.assetType : null;

/** The outputs as they were minted: values of the chain, words of `lines`. */
export function mintedLines(lines: ReadonlyMap<string, KeyedLine>, outputs: readonly MintedOutput[]): Line[] {
  return outputs.map((output, i) => {
    const line = lines.get(output.tlcHash);
    return {
      tokenId: Number(output.tokenId),
      tlc: line?.tlc ?? output.tlcHash,
      gtin: line?.gtin ?? null,
      serial: line?.serial ?? null,
      key: line?.key ?? output.tlcHash,
      tlcHash: output.tlcHash,
      assetType: assetTypeOf(line, output),
      role: line?.role ?? (i === 0 ? 'main' : 'co_product'),
      quantity: output.quantity === 0n ? null : decimal(output.quantity),
      uom: line?.uom ?? null,
      custodian: output.custodian,
      expiresAt: output.expiresAt === 0n ? null : new Date(Number(output.expiresAt) * 1000).toISOString(),
    };
  });
}

/**
 * An event as the chain committed to it, read back from its row and the first versions of its lots; before it has landed the
 * values of the chain are empty.
 */
export interface CommittedRecord {
  readonly id: string;
  readonly status: EventStatus;
  readonly processType: string | null;
  readonly orgId: string | null;
  /** User or API key id; null for one that was sent to the contract without us. */
  readonly preparedBy: string | null;
  readonly chainEventId: Hex;
  readonly processId: Hex;
  readonly dataHash: Hex | null;
  readonly ipfsCid: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly outputTlc: string | null;
  /** The event whose content this one corrects. */
  readonly supersedes: string | null;
  readonly containmentMode: number;
  readonly chainId: number | null;
  readonly contract: string | null;
  readonly actor: string | null;
  readonly txHash: Hex | null;
  readonly blockHash: Hex | null;
  readonly blockNumber: number | null;
  readonly inputTokenIds: readonly bigint[];
  /** As `EventRecorded` says; empty for an event that was attached to another call. */
  readonly consumed: readonly bigint[];
  readonly firstOutputId: bigint;
  readonly outputs: readonly MintedOutput[];
}
