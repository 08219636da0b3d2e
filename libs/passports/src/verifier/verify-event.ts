import type { Bundle, BundledEvent } from './bundle.js';
import { type Bytes, hex, toHex, toNumber, utf8 } from './bytes.js';
import { cidOf } from './cid.js';
import type { Members } from './json.js';
import { keccak256 } from './keccak256.js';
import type { Check, Tell } from './links.js';
import { type Recorded, recordedIn } from './recorded.js';
import { type Rlp, decodeRlp, encodeRlpNumber } from './rlp.js';
import { sha256 } from './sha256.js';
import { leafOf } from './trie.js';

/** An event from its bytes down to the block that recorded it. @returns what the receipt says of it; null where no receipt is proven */
export function verifyEvent(
  of: string,
  event: BundledEvent,
  chain: Bundle['chain'],
  blocks: Record<string, string>,
  tell: Tell,
  check: Check,
): Recorded | null {
  verifyBytes(of, event, chain, tell, check);
  check(
    'CID ↔ data hash',
    of,
    cidOf(event.dataHash) === event.cid,
    'CID and data hash are the same digest.',
    'CID and data hash are not the same digest.',
  );
  const receipt = proven(of, event, blocks, check);
  if (receipt === null) return null;
  const recorded = recordedIn(receipt, event.eventId, chain);
  check(
    'data hash ↔ receipt',
    of,
    recorded?.dataHash === event.dataHash,
    'The receipt records this data hash for this event of this contract.',
    'The receipt does not record this data hash for this event of this contract.',
  );
  check(
    'event ↔ commitment',
    of,
    recorded?.commitment === event.commitment,
    'The commitment is that of the event as the receipt records it.',
    'The commitment is not that of the event as the receipt records it.',
  );
  return recorded;
}

function verifyBytes(of: string, event: BundledEvent, chain: Bundle['chain'], tell: Tell, check: Check): void {
  if (event.text === null)
    return tell('bytes ↔ CID', of, 'left_out', 'The bytes say more than the public may read, so they are not in this file.');
  check(
    'bytes ↔ CID',
    of,
    cidOf(sha256(utf8(event.text))) === event.cid,
    `The bytes hash to ${event.cid}.`,
    `The bytes do not hash to ${event.cid}.`,
  );
  const envelope = JSON.parse(event.text) as Members;
  const id = typeof envelope['eventId'] === 'string' ? `0x${envelope['eventId'].replaceAll('-', '')}${'0'.repeat(32)}` : '';
  check(
    'bytes ↔ event',
    of,
    id === event.eventId && envelope['chainId'] === chain.chainId,
    'The bytes are about this event.',
    'The bytes are about another event.',
  );
}

/** The receipt, from the header down: RLP of the header hashes to the block, its receipts root leads by the proof to the receipt. */
function proven(of: string, event: BundledEvent, blocks: Record<string, string>, check: Check): Bytes | null {
  const header = blocks[event.blockHash];
  const bytes = header === undefined ? null : hex(header);
  check(
    'header ↔ block',
    of,
    bytes !== null && keccak256(bytes) === event.blockHash,
    'The header hashes to the block.',
    'The header does not hash to the block.',
  );
  if (bytes === null) return null;
  const fields = decodeRlp(bytes) as Rlp[];
  const [root, number] = [toHex(fields[5] as Bytes), toNumber(fields[8] as Bytes)];
  check(
    'block number',
    of,
    number === event.blockNumber,
    `It is block ${number}.`,
    `It is block ${number}, and the file says ${event.blockNumber}.`,
  );
  const receipt = leafOf(root, encodeRlpNumber(event.transactionIndex), event.proof.map(hex));
  check(
    'receipt ↔ header',
    of,
    receipt !== null,
    'The proof leads from the header to the receipt.',
    'The proof does not lead from the header to the receipt.',
  );
  return receipt;
}
