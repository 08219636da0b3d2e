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

/** Adds codes to what a status of this operation may mean, behind those that its decorators named. */
export function refuses({ responses }: Operation, status: number, ...codes: readonly string[]): void {
  const said = responses[status];
  const added = codes.filter((code) => !said?.description.includes(`\`${code}\``)).map((code) => `\`${code}\``);
  responses[status] = {
    description: [...(said?.description ? [said.description] : []), ...added].join(', '),
    ...(said?.headers && { headers: said.headers }),
    content: said?.content ?? { [PROBLEM_JSON]: { schema: { $ref: '#/components/schemas/Problem' } } },
  };
}
