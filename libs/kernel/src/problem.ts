/** One error in a request's content: its place (RFC 6901 pointer), a stable code, and a message. */
export interface Problem {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/**
 * An error that the caller may see: `code` is stable and documented, `status` is its HTTP status (docs/spec/api.md#conventions). Contexts
 * declare theirs in `errors.ts`, one line each, with `refusal`.
 */
export class DomainError extends Error {
  constructor(
    readonly code: string,
    readonly status: number,
    message: string,
    readonly details: {
      readonly errors?: readonly Problem[];
      readonly retryAfterSeconds?: number;
      readonly [extension: string]: unknown;
    } = {},
  ) {
    super(message);
    this.name = 'DomainError';
  }
}

/** An engine does not answer. The request is correct and may be sent again. */
export class EngineUnavailable extends DomainError {
  constructor(
    readonly engine: 'database' | 'chain' | 'content_storage' | 'queue',
    cause?: unknown,
  ) {
    super(`${engine}_unavailable`, 503, `The ${engine.replace('_', ' ')} does not answer at the moment. Try again soon.`, {
      retryAfterSeconds: 2,
    });
    this.cause = cause;
  }
}

type Details = ConstructorParameters<typeof DomainError>[3];

/** Declares an error: `const lotNotFound = refusal('lot_not_found', 404, (id: string) => \`No lot ${id}.\`)`. */
export function refusal<A extends readonly unknown[]>(
  code: string,
  status: number,
  sentence: (...args: A) => string,
  details?: (...args: A) => Details,
) {
  const make = (...args: A): DomainError => new DomainError(code, status, sentence(...args), details?.(...args));
  return Object.assign(make, { code, status });
}

export const invalidContent = (errors: readonly Problem[]): DomainError =>
  new DomainError('invalid_content', 422, errors.length === 1 ? errors[0]!.message : `The content has ${errors.length} errors.`, {
    errors,
  });
