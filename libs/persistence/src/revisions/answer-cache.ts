import { type Actor, SharedCache } from '#kernel';
import type { TenantTx } from '../unit-of-work/tx.js';
import type { UnitOfWork } from '../unit-of-work/unit-of-work.js';
import { revisionOf } from './revisions.js';

const MiB = 2 ** 20;
const MOST = { whole: 64 * MiB, share: 16 * MiB };
/** A change that no revision told of is shown after this time at the latest, and what was erased is no longer in memory. */
const MAX_AGE_MS = 300_000;

export interface Answer {
  /** Sent as it is. */
  readonly body: Buffer;
}

/** An answer that is not cached: too long, or not made of what a revision tells of. */
export interface Uncached {
  readonly body: unknown;
  readonly uncached: true;
}

interface Entry {
  readonly revision: bigint;
  readonly answer: Answer;
  /** Ends with the entry: it would hold the answer in memory. */
  readonly end: NodeJS.Timeout;
}

/** Whose answer it is: two actors with the same rights get the same one. */
const readerOf = ({ tenantSlug, orgId, roles, roleScopes }: Actor): unknown => [tenantSlug, orgId, roles, roleScopes];

/**
 * Answers that cost much to make and stay the same until something of their tenant changes, in the memory of this process. Each request
 * reads the tenant's revision, so that no answer is older than the last change that was committed before the request.
 */
export class AnswerCache {
  private readonly cached = new SharedCache<Entry>(MOST, ({ end }) => clearTimeout(end));
  private readonly running = new Map<string, Promise<Answer | Uncached>>();

  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * @param question JSON of everything that the answer depends on, except the actor and the data
   * @param make the answer, for this request and all that ask the same meanwhile; one that is not cached is made for each of them
   * @param read what is read along with the revision, in the same exchange
   */
  async get<Made extends Answer | Uncached, Read = undefined>(
    actor: Actor,
    question: readonly unknown[],
    make: () => Promise<Made>,
    read: (tx: TenantTx) => Promise<Read | undefined> = () => Promise.resolve(undefined),
  ): Promise<{ readonly answer: Made; readonly read: Read | undefined }> {
    const [revision, found] = await this.unitOfWork.read(actor, (tx) => Promise.all([revisionOf(tx), read(tx)]));
    const key = JSON.stringify([readerOf(actor), ...question]);
    const entry = this.cached.get(actor.tenantId, key);
    if (entry?.revision === revision) return { answer: entry.answer as Made, read: found };
    // All others of the tenant are outdated too.
    if (entry) this.cached.forget(actor.tenantId);
    const name = `${actor.tenantId} ${revision} ${key}`;
    const running = this.running.get(name) as Promise<Made> | undefined;
    if (!running)
      return { answer: await this.first(name, make, (answer) => this.keep(actor.tenantId, key, { revision, answer })), read: found };
    const answer = await running;
    return { answer: 'uncached' in answer ? await make() : answer, read: found };
  }

  private async first<Made extends Answer | Uncached>(
    name: string,
    make: () => Promise<Made>,
    keep: (answer: Answer) => void,
  ): Promise<Made> {
    const making = make();
    this.running.set(name, making);
    try {
      const answer = await making;
      if (!('uncached' in answer)) keep(answer);
      return answer;
    } finally {
      this.running.delete(name);
    }
  }

  /** The revision was read before the answer was made: it may be newer than its revision, never older. */
  private keep(tenantId: string, key: string, entry: Omit<Entry, 'end'>): void {
    const end = setTimeout(() => this.cached.delete(tenantId, key), MAX_AGE_MS).unref();
    this.cached.set(tenantId, key, { ...entry, end }, entry.answer.body.length + 2 * key.length);
  }
}
