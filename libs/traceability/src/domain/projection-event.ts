import { type Hex, fromMicro, keccakOf } from '#kernel';
import { ALL, type Landing } from './lot.js';

/** One line of `inputs` or `outputs` of an event, as its row keeps it. Quantities are decimals in `uom`. */
export interface EventLine {
  readonly tokenId?: number | null;
  readonly tlc?: string | null;
  readonly tlcHash?: string | null;
  readonly assetType?: string | null;
  readonly role?: string | null;
  readonly quantity?: number | string | null;
  readonly uom?: string | null;
  readonly consumption?: string | null;
  readonly custodian?: string | null;
  readonly expiresAt?: string | null;
}

/** The calldata that an event was prepared as: arguments by name, integers as decimal strings. */
export interface ExpectedCall {
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What the projection reads of an event that it knows already. */
export interface KnownEvent {
  readonly id: string;
  readonly chainEventId: string;
  readonly status: string;
  readonly processType: string | null;
  readonly processMapName: string | null;
  readonly processMapVersion: string | null;
  readonly kind: string | null;
  readonly eventTime: Date | null;
  readonly eventTimeZoneOffset: string | null;
  readonly recordTime: Date;
  readonly actorAddress: string | null;
  readonly orgId: string | null;
  readonly outputTlc: string | null;
  readonly outputCustodian: string | null;
  readonly outputs: readonly EventLine[];
  readonly dataHash: string | null;
  readonly supersedes: string | null;
  readonly expected: ExpectedCall | null;
  /** Of the contract where it landed; null before. */
  readonly contract: string | null;
  readonly containmentMode: number;
  readonly inputTokenIds: readonly bigint[];
  readonly consumed: readonly bigint[];
  readonly firstOutputTokenId: bigint | null;
  readonly outputTokenIds: readonly bigint[];
}

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

/** The lines of an event by the hash of their code: the words behind the hashes of its outputs. */
export const linesByHash = (lines: readonly EventLine[]): ReadonlyMap<string, EventLine> =>
  new Map(lines.flatMap((line) => (typeof line.tlc === 'string' ? [[keccakOf(line.tlc), line]] : [])));

const MOST_WORDS = 2_000;
const hashes = new Map<string, Hex>();

/** keccak256 of a process or asset type: few words that come with every event of a history, and a hash costs more than all else about them. */
export function wordHash(word: string): Hex {
  const known = hashes.get(word);
  if (known) return known;
  if (hashes.size >= MOST_WORDS) hashes.clear();
  const hash = keccakOf(word);
  hashes.set(word, hash);
  return hash;
}

/** Only words that the chain vouches for count. */
export const assetTypeOf = (line: EventLine | undefined, output: MintedOutput): string | null =>
  line?.assetType && wordHash(line.assetType) === output.assetType ? line.assetType : null;

/** Whether another call landed than the one that was prepared (api-decisions §3: then the chain's values stand). */
export function calldataDiffers(expected: ExpectedCall | null, landed: Recording): boolean {
  if (!expected) return false;
  const { args } = expected;
  const event = expected.method === 'recordEvent' ? args : ((args['e'] ?? args['event'] ?? {}) as Record<string, unknown>);
  if (!sameHex(event['processId'], landed.processId) || !sameHex(event['dataHash'], landed.dataHash)) return true;
  if (expected.method === 'amendEvent') return landed.inputTokenIds.length > 0 || landed.outputs.length > 0;
  if (expected.method !== 'recordEvent')
    return landed.outputs.length > 0 || landed.consumed.length > 0 || !sameIntegers(args['tokenIds'], landed.inputTokenIds);
  return (
    Number(args['containmentMode']) !== landed.containmentMode ||
    !sameIntegers(args['inputTokenIds'], landed.inputTokenIds) ||
    !drawsAsAsked(args['inputQuantities'], landed.consumed) ||
    !sameOutputs(args['outputs'], landed.outputs)
  );
}

const sameHex = (asked: unknown, landed: Hex): boolean => typeof asked === 'string' && asked.toLowerCase() === landed.toLowerCase();

const integers = (value: unknown): bigint[] => (Array.isArray(value) ? value.map((item) => BigInt(item as string)) : []);

function sameIntegers(asked: unknown, landed: readonly bigint[]): boolean {
  const wanted = integers(asked);
  return wanted.length === landed.length && wanted.every((value, i) => value === landed[i]);
}

/** "All" was asked for, an amount landed: what was left at that moment. */
function drawsAsAsked(asked: unknown, landed: readonly bigint[]): boolean {
  const wanted = integers(asked);
  return wanted.length === landed.length && wanted.every((value, i) => (value === ALL ? landed[i] !== 0n : value === landed[i]));
}

function sameOutputs(asked: unknown, landed: readonly MintedOutput[]): boolean {
  const wanted = Array.isArray(asked) ? (asked as Record<string, unknown>[]) : [];
  return (
    wanted.length === landed.length &&
    wanted.every((output, i) => {
      const minted = landed[i]!;
      return (
        sameHex(output['tlcHash'], minted.tlcHash) &&
        sameHex(output['assetType'], minted.assetType) &&
        output['custodian'] === minted.custodian &&
        BigInt((output['quantity'] ?? 0) as string) === minted.quantity &&
        BigInt((output['expiresAt'] ?? 0) as string) === minted.expiresAt
      );
    })
  );
}

/** The outputs as they were minted: values of the chain, words of `lines`. */
export function mintedLines(lines: ReadonlyMap<string, EventLine>, outputs: readonly MintedOutput[]): EventLine[] {
  return outputs.map((output, i) => {
    const line = lines.get(output.tlcHash);
    return {
      tokenId: Number(output.tokenId),
      tlc: line?.tlc ?? output.tlcHash,
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

/** A JSON number while it is exact, else its decimal string (api-decisions §1). A division is rounded like the reading of the text. */
export const decimal = (micro: bigint): number | string => (micro < EXACT ? Number(micro) / 1_000_000 : fromMicro(micro));
const EXACT = 1n << 53n;
