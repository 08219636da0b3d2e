/** One thing wrong with a request's content: where (RFC 6901 pointer), a stable code, a sentence. */
export interface Problem {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/**
 * Every refusal of the service: `code` is stable and documented, `status` is its HTTP status (api-decisions §1).
 * Contexts list theirs in `domain/errors.ts`, one line each, with `refusal`.
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

/** The engine behind a port is away: the caller did nothing wrong and may try again. */
export class EngineUnavailable extends DomainError {
  constructor(
    readonly engine: 'database' | 'chain' | 'content_storage' | 'queue',
    cause?: unknown,
  ) {
    super(`${engine}_unavailable`, 503, `The ${engine.replace('_', ' ')} does not answer at the moment; try again shortly.`, {
      retryAfterSeconds: 2,
    });
    this.cause = cause;
  }
}

type Details = ConstructorParameters<typeof DomainError>[3];

/** Declares a refusal: `const lotNotFound = refusal('lot_not_found', 404, (id: string) => \`No lot ${id}.\`)`. */
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
  new DomainError('invalid_content', 422, errors.length === 1 ? errors[0]!.message : `${errors.length} problems with the content.`, {
    errors,
  });
