import type { Json } from './types.js';

/** An error of the service: RFC 9457 problem details with a stable `code`. */
export class ApiProblem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly body: Readonly<Record<string, unknown>>,
  ) {
    super(message);
    this.name = 'ApiProblem';
  }

  /** Errors of single fields, if there are any. */
  get errors(): readonly { readonly pointer: string; readonly code: string; readonly message: string }[] {
    return (this.body.errors ?? []) as never;
  }
}

/** @throws ApiProblem */
export async function dataOf<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (!response.ok) throw problemFrom(response.status, text);
  if (text === '') return undefined as T;
  return (response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text) as T;
}

export function problemFrom(status: number, text: string): ApiProblem {
  try {
    const body = JSON.parse(text) as Json;
    return new ApiProblem(status, String(body.code), `${status} ${String(body.code)}: ${String(body.detail ?? body.title)}`, body);
  } catch {
    return new ApiProblem(status, 'not_a_problem', `${status}: ${text.slice(0, 200)}`, {});
  }
}
