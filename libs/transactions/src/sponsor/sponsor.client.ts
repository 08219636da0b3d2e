import { Injectable } from '@nestjs/common';
import { batchRefusalOf, JsonRpc, refusalOf, RpcRefused } from '#chain';
import { type DomainError, EngineUnavailable } from '#kernel';
import {
  type Batch,
  balanceCall,
  codeCall,
  estimateCall,
  estimateOf,
  FEE_CALLS,
  type Fees,
  feesOf,
  nonceCall,
  receiptCall,
} from '../relay/account.client.js';

export interface SponsorReceipt {
  readonly blockNumber: number;
  readonly succeeded: boolean;
  readonly wei: bigint;
}

/** What one node says at one moment. */
export interface SponsorView {
  readonly head: number;
  /** The sender's next nonce that no block has. */
  readonly next: number;
  /** Wei. */
  readonly balance: bigint;
  readonly fees: Fees;
  /** By hash. */
  readonly receipts: ReadonlyMap<string, SponsorReceipt>;
}

interface RawReceipt {
  readonly blockNumber: string;
  readonly status: string;
  readonly gasUsed: string;
  readonly effectiveGasPrice?: string;
}

const OPENING = 3 + FEE_CALLS.length;

/** The sponsor's side of the chain. The only code of the service that sends transactions. */
@Injectable()
export class SponsorClient {
  constructor(private readonly rpc: JsonRpc) {}

  /** Nonce before receipts: what is mined in between has its receipt by then. @throws EngineUnavailable('chain') */
  read(sender: string, hashes: readonly string[]): Promise<SponsorView> {
    return this.rpc.pinned(async (rpc) => {
      const first = await rpc.batch([{ method: 'eth_blockNumber', params: [] }, nonceCall(sender), balanceCall(sender), ...FEE_CALLS]);
      const [head, next, balance] = first.slice(0, OPENING).map((answer) => (answer.ok ? answer.value : null));
      if (typeof head !== 'string' || typeof next !== 'string' || typeof balance !== 'string') throw new EngineUnavailable('chain');
      const receipts = await rpc.batch(hashes.map(receiptCall));
      const found = hashes.flatMap((hash, i): [string, SponsorReceipt][] => {
        const answer = receipts[i]!;
        return answer.ok && answer.value ? [[hash, receiptOf(answer.value as RawReceipt)]] : [];
      });
      return { head: Number(head), next: Number(next), balance: BigInt(balance), fees: feesOf(first.slice(3)), receipts: new Map(found) };
    });
  }

  /** Which of the accounts have code. */
  async deployed(accounts: readonly string[]): Promise<ReadonlySet<string>> {
    const codes = await this.rpc.batch(accounts.map(codeCall));
    return new Set(
      accounts.filter((_, i) => {
        const code = codes[i]!;
        return code.ok && code.value !== '0x';
      }),
    );
  }

  /** Gas of each, or why it would fail. */
  async estimates(batches: readonly Batch[]): Promise<readonly (bigint | DomainError)[]> {
    const answers = await this.rpc.batch(batches.map(estimateCall));
    return answers.map((answer) => estimateOf(answer, batchRefusalOf));
  }

  /** Of a call that is no batch. */
  async estimate(call: Batch): Promise<bigint | DomainError> {
    return estimateOf((await this.rpc.batch([estimateCall(call)]))[0]!, refusalOf);
  }

  /**
   * Hands signed transactions to a node. A node that has one already, or a block with its nonce, refuses it: the next reading of the chain says
   * which.
   * @returns what nodes refused for another reason
   */
  async send(raws: readonly string[]): Promise<readonly string[]> {
    if (raws.length === 0) return [];
    const answers = await this.rpc.batch(raws.map((raw) => ({ method: 'eth_sendRawTransaction', params: [raw] })));
    return answers.flatMap((answer) =>
      answer.ok || (answer.error instanceof RpcRefused && KNOWN.test(answer.error.message)) ? [] : [answer.error.message],
    );
  }
}

const KNOWN = /already (known|imported)|known transaction|nonce (is )?too low|nonce has already been used|underpriced/i;

const receiptOf = ({ blockNumber, status, gasUsed, effectiveGasPrice = '0x0' }: RawReceipt): SponsorReceipt => ({
  blockNumber: Number(blockNumber),
  succeeded: status === '0x1',
  wei: BigInt(gasUsed) * BigInt(effectiveGasPrice),
});
