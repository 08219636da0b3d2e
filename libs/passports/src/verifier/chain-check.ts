import type { Bundle, BundledEvent } from './bundle.js';
import { keccak256, utf8 } from './encoding.js';
import type { Findings } from './report.js';

/** Asks a node of the chain: JSON-RPC method and parameters. */
export type AskChain = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** What only a node can say: that these blocks are on the chain, and what the contract keeps of the events now. */
export async function checkOnChain(file: Bundle, mintTx: string, ask: AskChain, findings: Findings): Promise<void> {
  try {
    await askAll(file, mintTx, answered(ask), findings);
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    findings.add('block ↔ chain', 'file', 'unanswered', `The node gave no answer, which says nothing of the file: ${error.message}`);
  }
}

class Unanswered extends Error {}

const answered =
  (ask: AskChain): AskChain =>
  async (method, params) => {
    try {
      return await ask(method, params);
    } catch (error) {
      throw new Unanswered((error as Error).message);
    }
  };

const COMMITMENT_SELECTOR = keccak256(utf8('eventCommitment(bytes32)')).slice(0, 10);
/** What the contract keeps of an event that was voided. */
const VOIDED = `0x${'1'.padStart(64, '0')}`;

async function askAll({ events, chain, lineage }: Bundle, mintTx: string, ask: AskChain, findings: Findings): Promise<void> {
  const { chainId, contract } = chain;
  const answer = Number(await ask('eth_chainId', []));
  findings.check(
    'chain',
    'file',
    answer === chainId,
    `The node is of chain ${answer}.`,
    `The node is of chain ${answer}, not of ${chainId}.`,
  );
  const receipt = (await ask('eth_getTransactionReceipt', [mintTx])) as { blockHash?: string; transactionIndex?: string } | null;
  const first = events[0]!;
  findings.check(
    'transaction ↔ receipt',
    'passport',
    receipt?.blockHash === first.blockHash && Number(receipt.transactionIndex) === first.transactionIndex,
    'The transaction that the passport names has this receipt.',
    'The transaction that the passport names has another receipt.',
  );
  for (const [i, event] of events.entries()) await askAbout(`event ${i + 1}`, event, contract, ask, findings);
  for (const [i, split] of (lineage.splits ?? []).entries()) await askAboutBlock(`split ${i + 1}`, split, ask, findings);
}

type BlockPosition = Pick<BundledEvent, 'blockNumber' | 'blockHash'>;

async function askAboutBlock(of: string, { blockNumber, blockHash }: BlockPosition, ask: AskChain, findings: Findings): Promise<void> {
  const block = (await ask('eth_getBlockByNumber', [`0x${blockNumber.toString(16)}`, false])) as { hash?: string } | null;
  findings.check(
    'block ↔ chain',
    of,
    block?.hash === blockHash,
    `Block ${blockNumber} is on the chain.`,
    `Block ${blockNumber} of the chain is ${block?.hash ?? 'not there'}.`,
  );
}

async function askAbout(of: string, event: BundledEvent, contract: string, ask: AskChain, findings: Findings): Promise<void> {
  const { eventId, commitment } = event;
  await askAboutBlock(of, event, ask, findings);
  const kept = await ask('eth_call', [{ to: contract, data: COMMITMENT_SELECTOR + eventId.slice(2) }, 'latest']);
  if (kept === VOIDED)
    findings.add('commitment ↔ contract', of, 'broken', 'The event was voided since then: what it recorded is withdrawn.');
  else
    findings.check(
      'commitment ↔ contract',
      of,
      kept === commitment,
      'The contract keeps this commitment.',
      `The contract keeps ${String(kept)}.`,
    );
}
