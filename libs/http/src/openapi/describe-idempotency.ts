import { ACCESS_EXTENSION, type AccessRule } from '../access.js';
import { keepsAnswers } from '../idempotency/answer.js';
import { type Operation, refuses } from './operation.js';

const KEY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request repeatable for 24 hours: the same key with the same request gives the same answer (then with `Idempotency-Replayed: true`, and without its secrets) and no second effect.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
};

/** From the same rule by which the interceptor decides. */
export function describeIdempotency(operation: Operation, method: string, path: string): void {
  if (!keepsAnswers(method.toUpperCase(), path, operation[ACCESS_EXTENSION] as AccessRule | undefined)) return;
  operation.parameters = [...(operation.parameters ?? []), KEY_PARAMETER];
  refuses(operation, 409, 'idempotency_still_running');
  refuses(operation, 422, 'idempotency_key_reused');
}
