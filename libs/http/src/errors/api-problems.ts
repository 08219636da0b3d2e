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

/** The sentences of the refusals that routes named; of several with one code, that of the first. */
const sentences = new Map<string, string>();

/** For a code that no route named itself. */
export const sentenceOf = (code: string): string | undefined => sentences.get(code);

/** With an ellipsis for what only a request can fill in. */
function sentenceIn(refusal: Refusal): string | undefined {
  if (typeof (refusal as unknown) !== 'function') return undefined;
  try {
    const make = refusal as unknown as (...blanks: readonly string[]) => Error;
    const { message } = make('…', '…', '…');
    return /undefined|NaN|\[object|^…$/.test(message) ? undefined : message;
  } catch {
    // It asks for more than texts; its title stands in the example.
    return undefined;
  }
}

/** What `invalidContent` of the kernel throws. */
export const INVALID_CONTENT: Refusal = { code: 'invalid_content', status: 422 };
/** An engine that a route needs beside the database is away. */
export const CHAIN_UNAVAILABLE: Refusal = { code: 'chain_unavailable', status: 503 };
export const CONTENT_UNAVAILABLE: Refusal = { code: 'content_storage_unavailable', status: 503 };

/** Describes what a route refuses, grouped by status: `@ApiProblems(lotNotFound, tlcTaken)`. */
export function ApiProblems(...refusals: readonly Refusal[]): MethodDecorator & ClassDecorator {
  const details = new Map(refusals.map((refusal) => [refusal.code, sentenceIn(refusal)]));
  for (const [code, detail] of details) if (detail !== undefined && !sentences.has(code)) sentences.set(code, detail);
  const statuses = [...new Set(refusals.map(({ status }) => status))];
  return applyDecorators(
    ...statuses.map((status) => {
      const codes = refusals.filter((refusal) => refusal.status === status).map(({ code }) => code);
      return ApiResponse({
        status,
        description: codes.map((code) => `\`${code}\``).join(', '),
        content: {
          [PROBLEM_JSON]: {
            schema: { $ref: '#/components/schemas/Problem' },
            examples: Object.fromEntries(codes.map((code) => [code, { value: { detail: details.get(code) } }])),
          },
        },
      });
    }),
  );
}
