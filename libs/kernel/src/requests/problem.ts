/** One error in a request's content: its place (RFC 6901 pointer), a stable code, and a message. */
export interface Problem {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** Problems that an answer lists; the number of the others is its `moreErrors`. */
export const MOST_PROBLEMS = 100;
/** A pointer is cut between two names: it leads to the value around the place. */
const LONGEST_POINTER = 1_000;
const LONGEST_MESSAGE = 2_000;
/** In the place of a problem that is counted, not listed. */
const UNLISTED: Problem = { pointer: '', code: 'unlisted', message: '' };

/** Adds a problem to those of a request. What would not be listed is not made, since a request of a megabyte can have 300,000 of them. */
export function addProblem(found: Problem[], make: () => Problem): void {
  found.push(found.length < MOST_PROBLEMS ? make() : UNLISTED);
}

const shortSentence = (text: string): string => (text.length <= LONGEST_MESSAGE ? text : `${text.slice(0, LONGEST_MESSAGE)}…`);

/** Names and values of a request are as long as its body; an answer repeats no more than this of them. */
export function shortProblem<P extends Problem>(problem: P): P {
  const { pointer, message } = problem;
  if (pointer.length <= LONGEST_POINTER && message.length <= LONGEST_MESSAGE) return problem;
  const end = pointer.length <= LONGEST_POINTER ? pointer.length : Math.max(0, pointer.lastIndexOf('/', LONGEST_POINTER));
  return {
    ...problem,
    pointer: pointer.slice(0, end),
    message: shortSentence(message),
  };
}

interface ProblemExtensions {
  readonly errors?: readonly Problem[];
  /** How many errors there are beyond those that are listed. */
  readonly moreErrors?: number;
  readonly retryAfterSeconds?: number;
  readonly [extension: string]: unknown;
}

/** The first `most` problems, and how many others there are. */
function bounded(details: ProblemExtensions, most = MOST_PROBLEMS): ProblemExtensions {
  if (!details.errors) return details;
  const moreErrors = Math.max(0, details.errors.length - most) + (details.moreErrors ?? 0);
  return { ...details, errors: details.errors.slice(0, most).map(shortProblem), ...(moreErrors > 0 && { moreErrors }) };
}

/**
 * An error that the caller may see: `code` is stable and documented, `status` is its HTTP status (docs/spec/api.md#conventions). Contexts
 * declare theirs in `errors.ts`, one line each, with `refusal`.
 */
export class DomainError extends Error {
  readonly details: ProblemExtensions;

  constructor(
    readonly code: string,
    readonly status: number,
    message: string,
    details: ProblemExtensions = {},
  ) {
    super(shortSentence(message));
    this.name = 'DomainError';
    this.details = bounded(details);
  }

  /** The same error with at most so many of its problems. */
  listing(most: number): DomainError {
    return new DomainError(this.code, this.status, this.message, bounded(this.details, most));
  }
}

/** What an answer about many items lists of their problems: 1,000 in all, and then the first one of each item. */
export class ProblemBudget {
  private left = 1_000;
  private readonly counted = new WeakSet<DomainError>();

  /** What is no error with problems stays as it is, and so does what it has counted before. */
  of<T>(outcome: T): T | DomainError {
    if (!(outcome instanceof DomainError) || !outcome.details.errors || this.counted.has(outcome)) return outcome;
    const listed = outcome.listing(Math.max(1, this.left));
    this.left -= listed.details.errors!.length;
    this.counted.add(listed);
    return listed;
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

  /** For logs: with the cause, which may name hosts and files, so never for clients. */
  get report(): string {
    const cause = this.cause instanceof Error ? this.cause.message || this.cause.name : null;
    return `The ${this.engine.replace('_', ' ')} does not answer${cause === null ? '' : `: ${cause}`}`;
  }
}

/** What a log says of an error that is tried again. */
export const reportOf = (error: unknown): string =>
  error instanceof EngineUnavailable ? error.report : error instanceof Error ? error.message : String(error);

type Details = ProblemExtensions;

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
