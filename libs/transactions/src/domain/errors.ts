import { type Problem, refusal } from '#kernel';
import type { Method } from './method.js';

export const unknownMethod = refusal(
  'unknown_method',
  422,
  (method: string) => `The contract has no state-changing method ${method}.`,
  (_, methods: readonly Method[] = []) => ({
    methods: methods.map(({ name, signature, inputs }) => ({ name, signature, args: inputs.map((input) => ({ name: input.name, type: input.type })) })),
  }),
);
export const unknownProcess = refusal('unknown_process', 422, (processId: string) => `No published process has the id ${processId}.`);
export const trackedNotFound = refusal('tracked_transaction_not_found', 404, (id: string) => `No tracked transaction ${id}.`);

/** 400: the form of the request, not its content. */
export const tokenIdInOutput = refusal(
  'token_id_in_output',
  400,
  (_errors: readonly Problem[]) => 'A token id is assigned when the transaction lands; nothing is topped up.',
  (errors) => ({ errors }),
);
