import { refusal } from '#kernel';
import type { Method } from './prepare/contract-method.js';

export const unknownMethod = refusal(
  'unknown_method',
  422,
  (method: string, _methods: readonly Method[]) => `The contract has no state-changing method ${method}.`,
  (_, methods) => ({
    methods: methods.map(({ name, signature, inputs }) => ({
      name,
      signature,
      args: inputs.map((input) => ({ name: input.name, type: input.type })),
    })),
  }),
);
export const unknownProcess = refusal('unknown_process', 422, (processId: string) => `No published process has the id ${processId}.`);
export const trackedNotFound = refusal('tracked_transaction_not_found', 404, (id: string) => `No tracked transaction ${id}.`);
export const transactionNotFound = refusal(
  'transaction_not_found',
  404,
  (txHash: string, chainId: number) => `No node of chain ${chainId} knows a transaction ${txHash} at the moment, and it is not tracked.`,
);
export const tooManyOpen = refusal(
  'too_many_open_transactions',
  429,
  (most: number) => `You have ${most} tracked transactions that no node has seen yet. Track more when these were seen or dropped.`,
  (most) => ({ limit: most, retryAfterSeconds: 60 }),
);
