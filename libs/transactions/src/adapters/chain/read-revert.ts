import { type Rpc, type RpcResult, decodeRevert, quantity } from '#chain';
import type { RawReceipt, RawTransaction } from './raw-transaction.js';

interface Failed {
  readonly txHash: string;
  readonly transaction: RawTransaction | null;
  readonly receipt: RawReceipt | null;
}

const QUESTIONS = 3;
const MOST_CHARACTERS = 500;

/**
 * Why transactions failed, by hash, where the node can tell: from its trace of the transaction itself (some nodes speak `debug_`,
 * some `trace_`), else from the call once more on the state before its block, as long as that state is held. The replay alone
 * would be wrong for one that lost a race within its block: there it succeeds.
 */
export async function revertReasons(rpc: Rpc, failed: readonly Failed[]): Promise<ReadonlyMap<string, string>> {
  if (failed.length === 0) return new Map();
  // A reason is worth no retry: whether the transaction failed is known without.
  const answers = await rpc.batch(failed.flatMap(questions)).catch((): RpcResult[] => []);
  return new Map(
    failed.flatMap(({ txHash }, i) => {
      const reason = reasonIn(answers.slice(QUESTIONS * i, QUESTIONS * (i + 1)));
      return reason === null ? [] : [[txHash, reason]];
    }),
  );
}

function questions({ txHash, transaction, receipt }: Failed) {
  const { from, to, input } = transaction ?? { from: undefined, to: undefined, input: '0x' };
  return [
    { method: 'debug_traceTransaction', params: [txHash, { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }] },
    { method: 'trace_transaction', params: [txHash] },
    { method: 'eth_call', params: [{ from, to, data: input }, quantity(Math.max(0, Number(receipt!.blockNumber) - 1))] },
  ];
}

interface Trace {
  readonly output?: string;
  readonly error?: string;
  readonly result?: { readonly output?: string } | null;
}

function reasonIn([debug, trace, replay]: readonly (RpcResult | undefined)[]): string | null {
  const traces = [debug, trace].flatMap((answer) => (answer?.ok ? [topOf(answer.value)] : []));
  const data = [...traces.map((top) => top?.output ?? top?.result?.output), replay && !replay.ok ? replay.error.data : null];
  for (const output of data) {
    const revert = output ? decodeRevert(output) : null;
    if (revert) return storable(`${revert.name}(${Object.values(revert.args).map(String).join(', ')})`);
  }
  // What is left has no data: out of gas, a bad jump. That it reverted is no reason.
  const fault = traces.map((top) => top?.error).find((error) => error && !/revert/i.test(error));
  return fault ? storable(fault) : null;
}

/** Anybody's contract may have said it, of any length and with U+0000, which no text column holds. A character that is cut in two is none. */
const storable = (said: string): string => Buffer.from(said.slice(0, MOST_CHARACTERS)).toString().replaceAll('\0', '\u{fffd}');

const topOf = (value: unknown): Trace | null => ((Array.isArray(value) ? value[0] : value) as Trace | null | undefined) ?? null;
