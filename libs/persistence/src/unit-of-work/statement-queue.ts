import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import type { QueryRunner } from 'typeorm';
import { type Statement, exchange } from './exchange.js';
import { fixedStatement } from './statement-names.js';

interface Waiting {
  readonly statement: Statement;
  /** @throws Error when the transaction that it belongs to has ended */
  readonly mustBeOpen: () => void;
  readonly resolve: (rows: unknown[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Runs `work` when everything that is ready to run has run. */
const whenIdle = (work: () => void): void => void Promise.resolve().then(() => process.nextTick(work));

const nothing = (): void => undefined;

/**
 * The statements of one transaction on one connection. Those that are started together, before one of them is awaited, are sent in one
 * exchange. The first ones also begin the transaction, and a connection is taken only then.
 */
export class StatementQueue {
  private waiting: Waiting[] = [];
  /** The previous exchange: a connection has one at a time. */
  private previous: Promise<unknown> = Promise.resolve();
  private begun = false;
  private closed = false;
  private ended = false;
  private sent = false;
  /** Why the transaction could not begin: nothing may run behind that. */
  private refusal: { readonly error: unknown } | null = null;

  /**
   * @param enter the statements that begin the transaction and give it its rights
   * @param is `once`: the transaction is one exchange, it ends with the first statements; a `read` enters with a `begin`, a `write` without one.
   * `named`: false for a pooler between that gives each transaction another connection, and knows no names (PgBouncer before 1.21)
   */
  constructor(
    private readonly runner: QueryRunner,
    private readonly enter: readonly Statement[],
    private readonly is: { readonly once?: 'read' | 'write' | undefined; readonly named: boolean },
  ) {}

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  /** Whether there may be something to roll back. */
  get isOpen(): boolean {
    return this.begun && !this.ended;
  }

  /** Behind everything that was started: the connection is free then. */
  rollback(): Promise<unknown> {
    if (this.sent) this.send();
    // Nothing was sent yet, and nothing shall be.
    else for (const { reject } of this.waiting.splice(0)) reject(new Error('this transaction was rolled back'));
    return this.follow(async () => {
      if (!this.isOpen) return;
      const { answers, done } = this.exchanged((await this.runner.connect()) as ClientBase, [ROLLBACK]);
      await Promise.all([...answers, done]);
      this.ended = true;
    });
  }

  add<Row>(statement: Statement, mustBeOpen: () => void = nothing): Promise<Row[]> {
    if (this.closed) throw new Error('this transaction sends all of its statements at once: start them before you await one');
    return new Promise<Row[]>((resolve, reject) => {
      this.waiting.push({ statement, mustBeOpen, resolve: resolve as (rows: unknown[]) => void, reject });
      if (this.waiting.length === 1) whenIdle(() => this.send());
    });
  }

  /** Sends what waits. In a busy process the rest of a large statement would stay in the socket buffer while the database waits. */
  async flush(): Promise<void> {
    this.send();
    const { connection } = (await this.runner.connect()) as { connection: { stream: Writable } };
    await yieldToEventLoop();
    // A statement that fails or times out before its server has read all of it ends the wait, too.
    if (connection.stream.writableNeedDrain) await drained(connection.stream, this.previous);
  }

  /** Runs work of TypeORM on the connection, in the transaction, after what was started before it. */
  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.is.once) throw new Error('repositories have no place in a transaction of one exchange');
    this.send();
    this.sent = true;
    return this.follow(async () => {
      if (!this.begun) await this.exchange([]);
      return work();
    });
  }

  /** Ends the transaction, together with what still waits. Sends nothing when nothing ever was. */
  async commit(): Promise<void> {
    if (!this.closed && (this.begun || !this.isEmpty)) await this.add(COMMIT);
    // Only then is the connection free.
    await this.previous;
  }

  private send(): void {
    if (this.isEmpty) return;
    const statements = this.waiting;
    this.waiting = [];
    this.sent = true;
    this.closed = this.is.once !== undefined;
    this.follow(() => this.exchange(statements)).catch((error: unknown) => statements.forEach(({ reject }) => reject(error)));
  }

  private follow<T>(work: () => Promise<T>): Promise<T> {
    const answer = this.previous.then(work);
    this.previous = answer.catch(nothing);
    return answer;
  }

  /** @throws the error of a statement that begins the transaction; the errors of others are their own */
  private async exchange(statements: readonly Waiting[]): Promise<void> {
    if (this.refusal) throw this.refusal.error;
    const client = (await this.runner.connect()) as ClientBase;
    const open = statements.filter(isOpen);
    const isImplicit = this.isImplicit(open.length);
    const before = this.begun ? [] : this.is.once === 'read' && isImplicit ? this.enter.slice(1) : this.enter;
    const after = this.is.once && !isImplicit ? [COMMIT] : [];
    this.begun = true;
    const { answers, done } = this.exchanged(client, [...before, ...open.map(({ statement }) => statement), ...after]);
    open.forEach(({ resolve, reject }, i) => void answers[before.length + i]!.then(resolve, reject));
    const began = await Promise.allSettled(answers.slice(0, before.length));
    const outcomes = await Promise.allSettled(answers);
    await done;
    // Without a `begin` it has ended in any case.
    this.ended = isImplicit || (this.is.once !== undefined && outcomes.every(({ status }) => status === 'fulfilled'));
    const refused = began.find((answer) => answer.status === 'rejected');
    if (!refused) return;
    this.refusal = { error: refused.reason };
    throw refused.reason;
  }

  private exchanged(client: ClientBase, statements: readonly Statement[]): ReturnType<typeof exchange> {
    return exchange(client, this.is.named ? statements : statements.map(({ text, values }) => ({ text, values })));
  }

  /** An exchange without a `begin` is a transaction of its own. A read of several statements needs one, for its isolation level. */
  private isImplicit(statements: number): boolean {
    return this.is.once === 'write' || (this.is.once === 'read' && statements === 1);
  }
}

const COMMIT: Statement = fixedStatement('commit');
const ROLLBACK: Statement = fixedStatement('rollback');

/** Asked again when it is sent: the transaction may have ended while it waited. */
function isOpen({ mustBeOpen, reject }: Waiting): boolean {
  try {
    mustBeOpen();
    return true;
  } catch (error) {
    reject(error);
    return false;
  }
}

/** Also ends when the connection is lost; the statement itself then rejects. */
async function drained(stream: Writable, statement: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const { signal } = done;
  await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal }), statement]).catch(nothing);
  done.abort();
}
