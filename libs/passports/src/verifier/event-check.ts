import { decodeRlp, encodeRlp, toBeArray } from 'ethers/utils';
import type { Bundle, BundledEdge, BundledEvent } from './bundle.js';
import { type Hex, type Members, bytesOf, cidOf, keccak256, sha256, utf8 } from './encoding.js';
import type { Findings } from './report.js';

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
  if (recorded !== null && event.text !== null) checkSender(of, event.text, recorded.actor, findings);
  return recorded;
}

/** Content names the sender that it was prepared for; the receipt says who signed. */
function checkSender(of: string, text: string, actor: Hex, findings: Findings): void {
  const { preparedBy } = JSON.parse(text) as Members;
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
  const id = typeof envelope['eventId'] === 'string' ? `0x${envelope['eventId'].replaceAll('-', '')}${'0'.repeat(32)}` : '';
  findings.check(
    'bytes ↔ event',
    of,
    id === event.eventId && envelope['chainId'] === chain.chainId,
    'The bytes are about this event.',
    'The bytes are about another event.',
  );
}

/** The receipt, from the header down: RLP of the header hashes to the block, its receipts root leads by the proof to the receipt. */
function checkReceipt(of: string, event: BundledEvent, blocks: Readonly<Record<Hex, Hex>>, findings: Findings): Hex | null {
  const header = blocks[event.blockHash];
  findings.check(
    'header ↔ block',
    of,
    header !== undefined && keccak256(bytesOf(header)) === event.blockHash,
    'The header hashes to the block.',
    'The header does not hash to the block.',
  );
  if (header === undefined) return null;
  const fields = readRlp(header);
  const [root, number] = [fields[5], fields[8]];
  if (typeof fields === 'string' || typeof root !== 'string' || typeof number !== 'string')
    throw new Error(`the header of ${of} is not the header of a block`);
  findings.check(
    'block number',
    of,
    numberIn(number) === event.blockNumber,
    `It is block ${numberIn(number)}.`,
    `It is block ${numberIn(number)}, and the file says ${event.blockNumber}.`,
  );
  const receipt = provenReceipt(root, event.transactionIndex, event.proof);
  findings.check(
    'receipt ↔ header',
    of,
    receipt !== null,
    'The proof leads from the header to the receipt.',
    'The proof does not lead from the header to the receipt.',
  );
  return receipt;
}

/** Every edge runs from an input of an event to what it made; where nothing is left out, each input was made by an event of the file. */
export function checkLineage(
  { edges, complete }: Bundle['lineage'],
  events: readonly BundledEvent[],
  recorded: readonly (RecordedEvent | null)[],
  findings: Findings,
): void {
  const areDistinct = new Set(events.map(({ eventId }) => eventId)).size === events.length;
  findings.check('events', 'file', areDistinct, 'Every event is in the file once.', 'An event is in the file more than once.');
  const holds = ({ from, to, eventId }: BundledEdge): boolean =>
    recorded.some(
      (event) =>
        event?.eventId === eventId && event.inputs.includes(BigInt(from)) && event.minted.some(({ tokenId }) => tokenId === BigInt(to)),
    );
  if (edges.length > 0)
    findings.check(
      'lineage ↔ receipts',
      'file',
      edges.every(holds),
      'Every edge of the lineage is in a receipt.',
      'An edge of the lineage is in no receipt.',
    );
  if (!complete) return;
  const made = new Set(recorded.flatMap((event) => event?.minted.map(({ tokenId }) => tokenId) ?? []));
  const isIncomplete = recorded.some(
    (event) => event !== null && event.containment === 0 && event.minted.length > 0 && event.inputs.some((input) => !made.has(input)),
  );
  findings.check(
    'lineage ↔ inputs',
    'file',
    !isIncomplete,
    'The event that made each input is in the file.',
    'The file says that its lineage is complete, but an event that made an input is not in it.',
  );
}

const RECORDED = topicOf('EventRecorded(bytes32,bytes32,address,bytes32,uint8,uint256[],uint256[],uint256,uint256)');
const MINTED = topicOf('LotMinted(uint256,bytes32,bytes32,address,uint256,bytes32,uint256)');
const AMENDED = topicOf('EventAmended(bytes32,bytes32,address)');

interface Log {
  readonly topics: readonly Hex[];
  /** Its data, 32 bytes each. */
  readonly words: readonly Hex[];
}

function recordedIn(receipt: Hex, eventId: Hex, chain: Bundle['chain']): RecordedEvent | null {
  const isTyped = Number(receipt.slice(0, 4)) < 0xc0;
  const fields = readRlp(isTyped ? `0x${receipt.slice(4)}` : receipt);
  const [status, , , logs] = fields as [Hex, Hex, Hex, readonly [Hex, readonly Hex[], Hex][]] & Rlp;
  if (numberIn(status) !== 1) return null;
  const own = logs
    .filter(([address]) => address === chain.contract.toLowerCase())
    .map(([, topics, data]): Log => ({ topics, words: (data.slice(2).match(/.{64}/g) ?? []).map((word) => `0x${word}`) }));
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

function topicOf(signature: string): Hex {
  return keccak256(utf8(signature));
}

const hashOfWords = (words: readonly (Hex | bigint)[]): Hex => {
  const digits = words.map((word) => (typeof word === 'string' ? word.slice(2).toLowerCase() : word.toString(16)).padStart(64, '0'));
  return keccak256(bytesOf(`0x${digits.join('')}`));
};

/** A byte string, or a list (Ethereum yellow paper, appendix B). */
type Rlp = Hex | readonly Rlp[];

/** @throws Error whose message does not repeat the bytes, which may be megabytes */
function readRlp(hex: Hex): Rlp {
  try {
    return decodeRlp(hex);
  } catch {
    throw new Error('a header, a receipt or a node of a proof is not RLP');
  }
}

/** An integer in RLP: 0 has no bytes. */
const numberIn = (hex: Hex): number => (hex === '0x' ? 0 : Number(hex));

/**
 * The receipt of a transaction (Ethereum yellow paper, appendix D), along nodes of which each hashes to what the one before it says.
 * @returns null where they do not lead there
 */
function provenReceipt(root: Hex, transactionIndex: number, nodes: readonly Hex[]): Hex | null {
  let path = nibblesOf(encodeRlp(toBeArray(transactionIndex)));
  let wanted = root;
  for (const [i, hex] of nodes.entries()) {
    if (keccak256(bytesOf(hex)) !== wanted) return null;
    const node = readRlp(hex) as readonly Rlp[];
    let next: Rlp | undefined;
    if (node.length === 17) {
      if (path === '') return i === nodes.length - 1 ? (node[16] as Hex) : null;
      next = node[Number.parseInt(path[0]!, 16)];
      path = path.slice(1);
    } else {
      const { nibbles, isLeaf } = unpacked(node[0] as Hex);
      if (!path.startsWith(nibbles)) return null;
      path = path.slice(nibbles.length);
      if (isLeaf) return path === '' && i === nodes.length - 1 ? (node[1] as Hex) : null;
      next = node[1];
    }
    // Receipts are longer than 32 bytes, so every node of their trie is named by its hash.
    if (typeof next !== 'string' || next.length !== 66) return null;
    wanted = next;
  }
  return null;
}

const nibblesOf = (hex: Hex): string => hex.slice(2);

/** Hex-prefix encoding (appendix C). */
function unpacked(packed: Hex): { readonly nibbles: string; readonly isLeaf: boolean } {
  const [flag = '0', ...rest] = nibblesOf(packed);
  const isOdd = Number.parseInt(flag, 16) % 2 === 1;
  return { nibbles: rest.slice(isOdd ? 0 : 1).join(''), isLeaf: Number.parseInt(flag, 16) >= 2 };
}
