import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { PROBLEM_JSON } from './problem-filter.js';

/** What `refusal` of the kernel gives: its stable code and its status. */
interface Refusal {
  readonly code: string;
  readonly status: number;
}

export const PROBLEM_SCHEMA = {
  type: 'object',
  required: ['type', 'title', 'status', 'code', 'detail', 'instance', 'requestId'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { type: 'string', description: 'Stable; decide by this one.' },
    detail: { type: 'string' },
    instance: { type: 'string' },
    requestId: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'code', 'message'],
        properties: { pointer: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
};

/** The sentences of the refusals that routes named, with an ellipsis for what only a request can fill in. */
const sentences = new Map<string, string>();

export const sentenceOf = (code: string): string | undefined => sentences.get(code);

function rememberSentence(refusal: Refusal): void {
  if (typeof (refusal as unknown) !== 'function') return;
  try {
    const make = refusal as unknown as (...blanks: readonly string[]) => Error;
    const { message } = make('…', '…', '…');
    if (!/undefined|NaN|\[object/.test(message)) sentences.set(refusal.code, message);
  } catch {
    // It asks for more than texts; its title stands in the example.
  }
}

/** Describes what a route refuses, grouped by status: `@ApiProblems(lotNotFound, tlcTaken)`. */
export function ApiProblems(...refusals: readonly Refusal[]): MethodDecorator & ClassDecorator {
  refusals.forEach(rememberSentence);
  const statuses = [...new Set(refusals.map(({ status }) => status))];
  return applyDecorators(
    ...statuses.map((status) => {
      const codes = refusals.filter((refusal) => refusal.status === status).map(({ code }) => code);
      return ApiResponse({
        status,
        description: codes.map((code) => `\`${code}\``).join(', '),
        content: { [PROBLEM_JSON]: { schema: { $ref: '#/components/schemas/Problem' } } },
      });
    }),
  );
}
