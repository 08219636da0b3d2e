import type { Bundle, BundledEvent } from './bundle.js';
import { utf8 } from './bytes.js';
import { keccak256 } from './keccak256.js';
import type { Check, Tell } from './links.js';

/** Asks a node of the chain: JSON-RPC method and parameters. */
export type AskChain = (method: string, params: readonly unknown[]) => Promise<unknown>;

export async function verifyOnChain(
  events: readonly BundledEvent[],
  chain: Bundle['chain'],
  mintTx: string,
  ask: AskChain,
  tell: Tell,
  check: Check,
): Promise<void> {
  const asking: AskChain = async (method, params) => {
    try {
      return await ask(method, params);
    } catch (error) {
      throw new Unanswered((error as Error).message);
    }
  };
  try {
    await askOnChain(events, chain, mintTx, asking, tell, check);
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    tell('block ↔ chain', 'file', 'unanswered', `The node gave no answer, which says nothing of the file: ${error.message}`);
  }
}

class Unanswered extends Error {}

async function askOnChain(
  events: readonly BundledEvent[],
  { chainId, contract }: Bundle['chain'],
  mintTx: string,
  ask: AskChain,
  tell: Tell,
  check: Check,
): Promise<void> {
  const asked = toChainId(await ask('eth_chainId', []));
  check('chain', 'file', asked === chainId, `The node is of chain ${asked}.`, `The node is of chain ${asked}, not of ${chainId}.`);
  const receipt = (await ask('eth_getTransactionReceipt', [mintTx])) as { blockHash?: string; transactionIndex?: string } | null;
  const first = events[0]!;
  const same = receipt?.blockHash === first.blockHash && Number(receipt.transactionIndex) === first.transactionIndex;
  check(
    'transaction ↔ receipt',
    'passport',
    same,
    'The transaction that the passport names has this receipt.',
    'The transaction that the passport names has another receipt.',
  );
  for (const [i, { blockNumber, blockHash, eventId, commitment }] of events.entries()) {
    const of = `event ${i + 1}`;
    const block = (await ask('eth_getBlockByNumber', [`0x${blockNumber.toString(16)}`, false])) as { hash?: string } | null;
    check(
      'block ↔ chain',
      of,
      block?.hash === blockHash,
      `Block ${blockNumber} is on the chain.`,
      `Block ${blockNumber} of the chain is ${block?.hash ?? 'not there'}.`,
    );
    const data = keccak256(utf8('eventCommitment(bytes32)')).slice(0, 10) + eventId.slice(2);
    const kept = (await ask('eth_call', [{ to: contract, data }, 'latest'])) as string;
    if (kept === VOIDED) tell('commitment ↔ contract', of, 'broken', 'The event was voided since: what it recorded was taken back.');
    else check('commitment ↔ contract', of, kept === commitment, 'The contract keeps this commitment.', `The contract keeps ${kept}.`);
  }
}

const VOIDED = `0x${'1'.padStart(64, '0')}`;
const toChainId = (value: unknown): number => Number(value);
