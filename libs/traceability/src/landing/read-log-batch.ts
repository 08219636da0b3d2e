import { ZERO_BYTES32, derivedId, eventIdFromBytes, type Hex } from '#kernel';
import type { ContractLog, LogBatch } from '#chain';
import { cidFromDataHash } from '#content-storage';
import type { Landing } from '../lots/lot.js';
import type { KnownRecord, MintedOutput, Recording } from '../events/event-record.js';
import type { Touched } from './lots-landing.queries.js';

/** Event ids that these logs name, each as the chain writes it. */
export function eventsNamed(logs: readonly ContractLog[]): Set<Hex> {
  const ids = new Set<Hex>();
  for (const log of logs) {
    if ('eventId' in log.args && log.args.eventId !== ZERO_BYTES32) ids.add(log.args.eventId);
    if (log.name === 'EventAmended') ids.add(log.args.amendmentId);
  }
  return ids;
}

export const landingOf = (log: ContractLog): Landing => ({ block: log.block.number, logIndex: log.logIndex, time: log.block.timestamp });

const recordings = new WeakMap<LogBatch, ReadonlyMap<Hex, Recording>>();

/** Each `EventRecorded` with the `LotMinted` logs that follow it, by its id on chain. The same ones each time for the same batch. */
export function recordingsIn(tenantId: string, batch: LogBatch): ReadonlyMap<Hex, Recording> {
  const known = recordings.get(batch) ?? joined(tenantId, batch);
  recordings.set(batch, known);
  return known;
}

const NO_PARTS: ReadonlyMap<bigint, bigint> = new Map();

function joined(tenantId: string, { chainId, contract, logs }: LogBatch): Map<Hex, Recording> {
  const found = new Map<Hex, Recording & { readonly outputs: MintedOutput[] }>();
  /** Parts split since the last event of a transaction: a call splits before it records. */
  const splits = new Map<Hex, Map<bigint, bigint>>();
  for (const log of logs) {
    if (log.name === 'LotSplit') {
      const { partId, tokenId } = log.args;
      splits.set(log.txHash, (splits.get(log.txHash) ?? new Map<bigint, bigint>()).set(partId, tokenId));
    }
    if (log.name === 'EventRecorded') {
      const { args, txHash, txLogIndex, block } = log;
      // Field by field: put together by `...` it costs ten times as much, and a history has many.
      found.set(args.eventId, {
        tenantId,
        chainId,
        contract,
        at: landingOf(log),
        blockHash: block.hash,
        txHash,
        txLogIndex,
        cid: cidFromDataHash(args.dataHash),
        chainEventId: args.eventId,
        processId: args.processId,
        actor: args.actor,
        dataHash: args.dataHash,
        containmentMode: args.containmentMode,
        inputTokenIds: args.inputTokenIds,
        consumed: args.consumed,
        firstOutputId: args.firstOutputId,
        outputs: [],
        splitFrom: splits.get(txHash) ?? NO_PARTS,
      });
      splits.delete(txHash); // Those that follow are of another call.
    }
    if (log.name === 'LotMinted') found.get(log.args.eventId)?.outputs.push(log.args);
  }
  return found;
}

/** Lots that stood before these logs and that they touch; `others` are those of events that are voided. */
export function touchedBy(logs: readonly ContractLog[], others: readonly bigint[]): Touched {
  const tokenIds = new Set<bigint>(others);
  const recalled: bigint[] = [];
  const minted = new Set<bigint>();
  const wallets = new Set<string>();
  for (const log of logs) {
    if (log.name === 'LotMinted') minted.add(log.args.tokenId);
    if (log.name === 'LotSplit') {
      tokenIds.add(log.args.tokenId);
      minted.add(log.args.partId);
    }
    if ('tokenIds' in log.args) for (const tokenId of log.args.tokenIds) tokenIds.add(tokenId);
    if (log.name === 'EventRecorded') for (const tokenId of log.args.inputTokenIds) tokenIds.add(tokenId);
    if (log.name === 'CustodyMoved') tokenIds.add(log.args.tokenId);
    if (log.name === 'LotsRecalled') recalled.push(...log.args.tokenIds);
    if (log.name === 'WalletMoved') wallets.add(log.args.from);
  }
  return { tokenIds: [...tokenIds].filter((tokenId) => !minted.has(tokenId)), recalled, wallets: [...wallets] };
}

/** The id that an event is derived to where its own is none, or another's. */
export const derivedIn = ({ chainId, contract }: LogBatch, chainEventId: Hex): string =>
  derivedId('event', chainId, contract, chainEventId);

/** The one of them that it is kept under: the UUID, unless an event of the tenant's other contract has it. */
export function eventIdIn(batch: LogBatch, chainEventId: Hex, known: ReadonlyMap<string, KnownRecord>): string {
  const uuid = eventIdFromBytes(chainEventId);
  const contract = (uuid && known.get(uuid)?.contract) ?? null;
  return uuid !== null && (contract === null || contract === batch.contract) ? uuid : derivedIn(batch, chainEventId);
}
