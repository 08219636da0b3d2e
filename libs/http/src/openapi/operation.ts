import { PROBLEM_JSON } from '../errors/problem-filter.js';

export const BEARER = 'bearer';
export const API_KEY = 'apiKey';

/** An operation of the document, with what its decorators left there. */
export interface Operation {
  parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses: Record<string, ResponseObject | undefined>;
  security?: object[];
  readonly [extension: `x-${string}`]: unknown;
}

export interface ResponseObject {
  readonly description: string;
  headers?: Readonly<Record<string, unknown>>;
  readonly content?: unknown;
}

export const problemResponse = (description: string): ResponseObject => ({
  description,
  content: { [PROBLEM_JSON]: { schema: { $ref: '#/components/schemas/Problem' } } },
});
