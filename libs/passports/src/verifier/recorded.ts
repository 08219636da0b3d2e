import type { Bundle } from './bundle.js';
import { type Bytes, hex, toHex, toNumber, utf8 } from './bytes.js';
import { keccak256 } from './keccak256.js';
import { decodeRlp } from './rlp.js';

/** What the receipt says of an event. */
export interface Recorded {
  readonly eventId: string;
  readonly actor: string;
  readonly dataHash: string;
  readonly commitment: string;
  readonly inputs: readonly bigint[];
  /** 0: what it made was made of its inputs; else they are only inside. */
  readonly containment: number;
  readonly minted: readonly { readonly tokenId: bigint; readonly tlcHash: string; readonly expiresAt: number }[];
  /** Event whose content this one corrects, by its own claim. */
  readonly amends: string | null;
}

const RECORDED = 'EventRecorded(bytes32,bytes32,address,bytes32,uint8,uint256[],uint256[],uint256,uint256)';
const MINTED = 'LotMinted(uint256,bytes32,bytes32,address,uint256,bytes32,uint256)';
const AMENDED = 'EventAmended(bytes32,bytes32,address)';

export function recordedIn(receipt: Bytes, eventId: string, chain: Bundle['chain']): Recorded | null {
  const [status, , , logs] = decodeRlp(receipt[0]! < 0xc0 ? receipt.slice(1) : receipt) as [Bytes, Bytes, Bytes, [Bytes, Bytes[], Bytes][]];
  if (toNumber(status) !== 1) return null;
  const own = logs
    .filter(([address]) => toHex(address) === chain.contract.toLowerCase())
    .map(([, topics, data]) => ({ topics: topics.map(toHex), words: wordsOf(data) }));
  const said = own.find(({ topics }) => topics[0] === keccak256(utf8(RECORDED)) && topics[1] === eventId);
  if (!said) return null;
  const { topics, words } = said;
  const list = (at: number): string[] => {
    const start = Number(BigInt(words[at]!)) / 32;
    return words.slice(start + 1, start + 1 + Number(BigInt(words[start]!)));
  };
  const [inputs, consumed] = [list(2), list(3)];
  const minted = own.filter((log) => log.topics[0] === keccak256(utf8(MINTED)) && log.topics[2] === eventId);
  return {
    eventId,
    actor: topics[3]!,
    dataHash: words[0]!,
    commitment: commitmentOf(said, inputs, consumed, minted, chain),
    inputs: inputs.map(BigInt),
    containment: Number(BigInt(words[1]!)),
    minted: minted.map((log) => ({ tokenId: BigInt(log.topics[1]!), tlcHash: log.topics[3]!, expiresAt: Number(BigInt(log.words[3]!)) })),
    amends: own.find((log) => log.topics[0] === keccak256(utf8(AMENDED)) && log.topics[2] === eventId)?.topics[1] ?? null,
  };
}

interface Log {
  readonly topics: readonly string[];
  readonly words: readonly string[];
}

/** As the contract counts it: hashes of what `abi.encode` makes of the event, its inputs and its outputs. */
function commitmentOf(
  { topics, words }: Log,
  inputs: readonly string[],
  consumed: readonly string[],
  minted: readonly Log[],
  { chainId, contract }: Bundle['chain'],
): string {
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

const wordsOf = (data: Bytes): string[] => Array.from({ length: data.length / 32 }, (_, i) => toHex(data.slice(32 * i, 32 * i + 32)));
const hashOfWords = (words: readonly (string | bigint)[]): string =>
  keccak256(
    hex(
      `0x${words.map((word) => (typeof word === 'string' ? word.slice(2).toLowerCase() : word.toString(16)).padStart(64, '0')).join('')}`,
    ),
  );
