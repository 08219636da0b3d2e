import { type Hex, NotCanonical, canonicalJson } from '#kernel';
import type { CommittedRecord } from '../events/event-record.js';

/** What a store said about a CID. */
export type StoredBytes =
  | { readonly found: 'bytes'; readonly bytes: Uint8Array; readonly cid: string; readonly sealed?: SealedWords }
  | { readonly found: 'corrupt' | 'missing' | 'unreachable' };

/** What a sealed block says, as far as it could be opened here. */
export interface SealedWords {
  readonly id: string;
  /** `fault`: its sealed part does not fit the block, or it is no block at all. Of `erased` all is open but what was erased. */
  readonly state: 'open' | 'erased' | 'sealed' | 'fault';
  readonly content: Readonly<Record<string, unknown>>;
}

/** What the chain says about an event. */
export interface ChainEvidence {
  /** The event's log in the transaction that the record names; null when there is none. */
  readonly log: { readonly dataHash: Hex; readonly blockNumber: number; readonly blockHash: Hex } | null;
  /** What the contract keeps of the event now, and what it must be if the record is right. */
  readonly commitment: Hex;
  readonly expectedCommitment: Hex;
}

export const LINKS = ['bytes_cid', 'cid_data_hash', 'data_hash_chain', 'record_content', 'content_sender', 'record_chain'] as const;
export const LINK_STATES = ['ok', 'mismatch', 'unreachable', 'not_landed', 'sealed', 'erased'] as const;
export type LinkState = (typeof LINK_STATES)[number];

export interface Link {
  readonly link: (typeof LINKS)[number];
  readonly status: LinkState;
  readonly detail: string;
}

export interface Verification {
  /** The worst of the links. */
  readonly status: LinkState;
  readonly links: readonly Link[];
}

/**
 * Bytes ↔ CID ↔ data hash ↔ chain, and what the service shows against both ends (docs/explanation/integrity.md). Each link is judged on its own,
 * so that one that is broken does not hide another.
 * @param cidOfHash the CID that follows from the record's data hash
 * @param chain null when the chain did not answer
 */
export function verify(event: CommittedRecord, stored: StoredBytes, cidOfHash: string | null, chain: ChainEvidence | null): Verification {
  const links = [
    bytesLink(event, stored),
    hashLink(event, cidOfHash),
    ...(event.blockNumber === null ? [] : [chainLink(event, chain)]),
    contentLink(event, stored),
    ...(event.blockNumber === null ? [] : [senderLink(event, stored), recordLink(chain)]),
  ];
  if (event.blockNumber === null)
    for (const link of ['data_hash_chain', 'content_sender', 'record_chain'] as const)
      links.push({ link, status: 'not_landed', detail: `The event is ${event.status}: nothing of it is on chain.` });
  return { status: worst(links), links: LINKS.map((name) => links.find(({ link }) => link === name)!) };
}

const worst = (links: readonly Link[]): LinkState =>
  (['mismatch', 'unreachable', 'not_landed', 'sealed', 'erased'] as const).find((state) => links.some(({ status }) => status === state)) ??
  'ok';

function bytesLink({ ipfsCid }: CommittedRecord, stored: StoredBytes): Link {
  const link = 'bytes_cid';
  if (ipfsCid === null) return { link, status: 'unreachable', detail: 'The event has no CID.' };
  switch (stored.found) {
    case 'corrupt':
      return { link, status: 'mismatch', detail: `The stored bytes do not hash to ${ipfsCid}.` };
    case 'missing':
      return { link, status: 'unreachable', detail: `The store has no bytes of ${ipfsCid}.` };
    case 'unreachable':
      return { link, status: 'unreachable', detail: 'The content store does not answer.' };
    case 'bytes':
  }
  return stored.cid === ipfsCid
    ? { link, status: 'ok', detail: `${stored.bytes.length} bytes hash to ${ipfsCid}.` }
    : { link, status: 'mismatch', detail: `The stored bytes hash to ${stored.cid}, not to ${ipfsCid}.` };
}

function hashLink({ ipfsCid, dataHash }: CommittedRecord, cidOfHash: string | null): Link {
  const link = 'cid_data_hash';
  if (ipfsCid === null || cidOfHash === null) return { link, status: 'unreachable', detail: 'The event has no CID or no data hash.' };
  return cidOfHash === ipfsCid
    ? { link, status: 'ok', detail: `${ipfsCid} and ${dataHash} are the same digest.` }
    : { link, status: 'mismatch', detail: `The data hash ${dataHash} is that of ${cidOfHash}, not of ${ipfsCid}.` };
}

const CHAIN_AWAY = 'The chain does not answer.';

function chainLink(event: CommittedRecord, chain: ChainEvidence | null): Link {
  const link = 'data_hash_chain';
  if (chain === null) return { link, status: 'unreachable', detail: CHAIN_AWAY };
  const { log } = chain;
  if (log === null) return { link, status: 'mismatch', detail: `Transaction ${event.txHash} has no log of this event.` };
  if (log.dataHash !== event.dataHash)
    return { link, status: 'mismatch', detail: `The chain has the data hash ${log.dataHash}, the record ${event.dataHash}.` };
  if (log.blockHash !== event.blockHash || log.blockNumber !== event.blockNumber)
    return {
      link,
      status: 'mismatch',
      detail: `The transaction is in block ${log.blockNumber} ${log.blockHash}, the record says another.`,
    };
  return { link, status: 'ok', detail: `Transaction ${event.txHash} in block ${log.blockNumber} recorded ${log.dataHash}.` };
}

function contentLink(event: CommittedRecord, stored: StoredBytes): Link {
  const link = 'record_content';
  if (stored.found !== 'bytes') return { link, status: 'unreachable', detail: 'Without the stored bytes the record cannot be compared.' };
  const envelope = wordsIn(stored);
  if (envelope === null) return { link, status: 'mismatch', detail: 'The stored bytes are no event.' };
  const state = stored.sealed?.state ?? 'open';
  if (state === 'fault') return { link, status: 'mismatch', detail: 'What is sealed in the stored bytes does not fit them.' };
  // What is closed cannot be compared; what is open can.
  const count = state === 'sealed' ? 2 : 3;
  const said = [envelope['eventId'], envelope['processType'], textOf(envelope['metadata'])];
  const shown = [event.id, event.processType, textOf(event.metadata)];
  const wrong = ['event id', 'process type', 'metadata'].slice(0, count).filter((_, i) => said[i] !== shown[i]);
  if (wrong.length === 0 && state !== 'open') return { link, status: state, detail: state === 'erased' ? ERASED : CLOSED };
  return wrong.length === 0
    ? { link, status: 'ok', detail: 'The record shows the words that were stored.' }
    : { link, status: 'mismatch', detail: `The record shows another ${wrong.join(' and ')} than was stored.` };
}

const CLOSED = 'Values were sealed elsewhere, or their keys are lost: the recorder committed to them, and they cannot be compared here.';

const ERASED = 'Values were erased: the recorder committed to them, and nobody can read them. All others are those that were stored.';

/** Content names the sender that it was prepared for; the chain says who signed. */
function senderLink({ actor }: CommittedRecord, stored: StoredBytes): Link {
  const link = 'content_sender';
  const state = stored.found === 'bytes' ? (stored.sealed?.state ?? 'open') : 'fault';
  const envelope = stored.found === 'bytes' && state !== 'fault' ? wordsIn(stored) : null;
  if (envelope === null) return { link, status: 'unreachable', detail: 'Without the stored content its sender is not known.' };
  const named = envelope['preparedBy'];
  if (named === undefined && state === 'sealed') return { link, status: state, detail: CLOSED };
  if (typeof named !== 'string') return { link, status: 'ok', detail: `The content names no sender; ${actor} signed.` };
  return named === actor
    ? { link, status: 'ok', detail: `${actor} signed, as the content says.` }
    : { link, status: 'mismatch', detail: `The content was prepared for ${named}, and ${actor} signed.` };
}

function recordLink(chain: ChainEvidence | null): Link {
  const link = 'record_chain';
  if (chain === null) return { link, status: 'unreachable', detail: CHAIN_AWAY };
  return chain.commitment === chain.expectedCommitment
    ? { link, status: 'ok', detail: `The contract's commitment ${chain.commitment} is that of the record.` }
    : {
        link,
        status: 'mismatch',
        detail: `The contract keeps ${chain.commitment}; actor, inputs, outputs and status of the record give ${chain.expectedCommitment}.`,
      };
}

/** The words of a block of either version. */
const wordsIn = ({ bytes, sealed }: StoredBytes & { readonly found: 'bytes' }): Readonly<Record<string, unknown>> | null =>
  sealed ? { ...sealed.content, eventId: sealed.id } : parsed(bytes);

function parsed(bytes: Uint8Array): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function textOf(value: unknown): string {
  try {
    return canonicalJson(value ?? null);
  } catch (error) {
    if (error instanceof NotCanonical) return error.code;
    throw error;
  }
}
