import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { PROBLEM_JSON } from './problem-filter.js';

/** An error declared with the kernel's `refusal`: its stable code and its status. */
export interface Refusal {
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
    code: { type: 'string', description: 'Stable code. Use it to distinguish errors.' },
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
    moreErrors: { type: 'integer', description: 'How many errors there are beyond the 100 that are listed' },
  },
};

/** Messages of the errors that routes declare, by code; the first declaration of a code counts. */
const sentences = new Map<string, string>();

/** For a code that no route declares itself. */
export const sentenceOf = (code: string): string | undefined => sentences.get(code);

/** With an ellipsis in the place of each argument. */
function sentenceIn(refusal: Refusal): string | undefined {
  if (typeof (refusal as unknown) !== 'function') return undefined;
  try {
    const make = refusal as unknown as (...blanks: readonly string[]) => Error;
    const { message } = make('…', '…', '…');
    return /undefined|NaN|\[object|^…$/.test(message) ? undefined : message;
  } catch {
    // It needs other arguments than texts; the example uses the title instead.
    return undefined;
  }
}

/** Headers of answers by status, which `describeOperation` moves to the answers: decorators of answers replace each other. */
export const ANSWER_HEADERS = 'x-answer-headers';

/** The error of the kernel's `invalidContent`. */
export const INVALID_CONTENT: Refusal = { code: 'invalid_content', status: 422 };
/** An engine other than the database is unavailable. */
export const CHAIN_UNAVAILABLE: Refusal = { code: 'chain_unavailable', status: 503 };
export const QUEUE_UNAVAILABLE: Refusal = { code: 'queue_unavailable', status: 503 };
export const CONTENT_UNAVAILABLE: Refusal = { code: 'content_storage_unavailable', status: 503 };

/** Declares the errors of a route, grouped by status: `@ApiProblems(lotNotFound, tlcTaken)`. */
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
