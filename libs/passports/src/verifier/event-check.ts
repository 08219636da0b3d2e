import type { Bundle, BundledEvent } from './bundle.js';
import { type Hex, type Members, bytesOf, cidOf, keccak256, sha256, utf8 } from './encoding.js';
import { checkOfEvent } from './disclosure-check.js';
import { type Log, checkReceipt, logsIn, topicOf } from './receipt-check.js';
import type { Findings } from './report.js';
import { type Disclosure, isSealed, readablePart } from './sealed-content.js';

/** What the receipt says of an event. */
export interface RecordedEvent {
  readonly eventId: Hex;
  readonly actor: Hex;
  readonly dataHash: Hex;
  readonly commitment: Hex;
  readonly inputs: readonly bigint[];
  /** 0: what it made was made of its inputs; else they are only inside. */
  readonly containment: number;
  readonly minted: readonly { readonly tokenId: bigint; readonly tlcHash: Hex; readonly expiresAt: number }[];
  /** Event whose content this one states that it corrects. */
  readonly amends: Hex | null;
}

/**
 * An event from its bytes down to the block that recorded it.
 * @returns what the receipt says of it; null where no receipt is proven
 */
export function checkEvent(
  of: string,
  event: BundledEvent,
  chain: Bundle['chain'],
  blocks: Readonly<Record<Hex, Hex>>,
  findings: Findings,
): RecordedEvent | null {
  checkBytes(of, event, chain, findings);
  findings.check(
    'CID ↔ data hash',
    of,
    cidOf(event.dataHash) === event.cid,
    'CID and data hash are the same digest.',
    'CID and data hash are not the same digest.',
  );
  const receipt = checkReceipt(of, event, blocks, findings);
  if (receipt === null) return null;
  const recorded = recordedIn(receipt, event.eventId, chain);
  findings.check(
    'data hash ↔ receipt',
    of,
    recorded?.dataHash === event.dataHash,
    'The receipt records this data hash for this event of this contract.',
    'The receipt does not record this data hash for this event of this contract.',
  );
  findings.check(
    'event ↔ commitment',
    of,
    recorded?.commitment === event.commitment,
    'The commitment is that of the event as the receipt records it.',
    'The commitment is not that of the event as the receipt records it.',
  );
  if (recorded !== null && event.text !== null) checkSender(of, event.text, event.disclosures ?? [], recorded.actor, findings);
  return recorded;
}

/** Content names the sender that it was prepared for; the receipt says who signed. */
function checkSender(of: string, text: string, disclosures: readonly Disclosure[], actor: Hex, findings: Findings): void {
  const { preparedBy } = readablePart(text, disclosures);
  if (typeof preparedBy !== 'string') return;
  findings.check(
    'content ↔ sender',
    of,
    `0x${preparedBy.slice(2).toLowerCase().padStart(64, '0')}` === actor.toLowerCase(),
    'The event was signed by the sender that its content names.',
    'The event was signed by another sender than its content names.',
  );
}

function checkBytes(of: string, event: BundledEvent, chain: Bundle['chain'], findings: Findings): void {
  if (event.text === null)
    return findings.add('bytes ↔ CID', of, 'left_out', 'The bytes say more than the public may read, so they are not in this file.');
  findings.check(
    'bytes ↔ CID',
    of,
    cidOf(sha256(utf8(event.text))) === event.cid,
    `The bytes hash to ${event.cid}.`,
    `The bytes do not hash to ${event.cid}.`,
  );
  const envelope = JSON.parse(event.text) as Members;
  const named = envelope[isSealed(envelope) ? 'id' : 'eventId'];
  const id = typeof named === 'string' ? `0x${named.replaceAll('-', '')}${'0'.repeat(32)}` : '';
  findings.check(
    'bytes ↔ event',
    of,
    id === event.eventId && envelope['chainId'] === chain.chainId,
    'The bytes are about this event.',
    'The bytes are about another event.',
  );
  if (event.disclosures) checkOfEvent(of, event.text, event.disclosures, findings);
}

const RECORDED = topicOf('EventRecorded(bytes32,bytes32,address,bytes32,uint8,uint256[],uint256[],uint256,uint256)');
const MINTED = topicOf('LotMinted(uint256,bytes32,bytes32,address,uint256,bytes32,uint256)');
const AMENDED = topicOf('EventAmended(bytes32,bytes32,address)');

function recordedIn(receipt: Hex, eventId: Hex, chain: Bundle['chain']): RecordedEvent | null {
  const own = logsIn(receipt, chain.contract);
  const recorded = own.find(({ topics }) => topics[0] === RECORDED && topics[1] === eventId);
  if (!recorded) return null;
  const { topics, words } = recorded;
  const list = (at: number): Hex[] => {
    const start = Number(BigInt(words[at]!)) / 32;
    return words.slice(start + 1, start + 1 + Number(BigInt(words[start]!)));
  };
  const [inputs, consumed] = [list(2), list(3)];
  const minted = own.filter((log) => log.topics[0] === MINTED && log.topics[2] === eventId);
  return {
    eventId,
    actor: topics[3]!,
    dataHash: words[0]!,
    commitment: commitmentOf(recorded, inputs, consumed, minted, chain),
    inputs: inputs.map(BigInt),
    containment: Number(BigInt(words[1]!)),
    minted: minted.map((log) => ({ tokenId: BigInt(log.topics[1]!), tlcHash: log.topics[3]!, expiresAt: Number(BigInt(log.words[3]!)) })),
    amends: own.find((log) => log.topics[0] === AMENDED && log.topics[2] === eventId)?.topics[1] ?? null,
  };
}

/** As the contract computes it: hashes of what `abi.encode` makes of the event, its inputs and its outputs. */
function commitmentOf(
  { topics, words }: Log,
  inputs: readonly Hex[],
  consumed: readonly Hex[],
  minted: readonly Log[],
  { chainId, contract }: Bundle['chain'],
): Hex {
  const ofInputs = hashOfWords([
    64n,
    BigInt(96 + 32 * inputs.length),
    BigInt(inputs.length),
    ...inputs,
    BigInt(consumed.length),
    ...consumed,
  ]);
  const ofOutputs = hashOfWords([
    32n,
    BigInt(minted.length),
    ...minted.flatMap((log) => [log.topics[3]!, log.words[2]!, log.words[0]!, log.words[1]!, log.words[3]!]),
  ]);
  return hashOfWords([BigInt(chainId), contract, topics[1]!, topics[2]!, topics[3]!, words[1]!, words[4]!, words[0]!, ofInputs, ofOutputs]);
}

const hashOfWords = (words: readonly (Hex | bigint)[]): Hex => {
  const digits = words.map((word) => (typeof word === 'string' ? word.slice(2).toLowerCase() : word.toString(16)).padStart(64, '0'));
  return keccak256(bytesOf(`0x${digits.join('')}`));
};
