import { createRequire } from 'node:module';
import { type ClientBase, type FieldDef, Result, type Submittable } from 'pg';
import type { Writable } from 'node:stream';

const { prepareValue } = createRequire(import.meta.url)('pg/lib/utils') as { readonly prepareValue: (value: unknown) => unknown };

/** A statement with its parameters. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Parsed and planned once a connection under this name; each time when absent. */
  readonly name?: string | undefined;
}

interface Settled {
  readonly resolve: (rows: unknown[]) => void;
  readonly reject: (error: unknown) => void;
}

/** SQLSTATE in_failed_sql_transaction: what PostgreSQL says of a statement behind one that failed. */
const IN_FAILED_TRANSACTION = '25P02';

/** A statement that was sent behind one that failed, so that the server never ran it. */
export class StatementSkipped extends Error {
  readonly code = IN_FAILED_TRANSACTION;

  constructor(cause: unknown) {
    super('not run: a statement before it in this transaction failed', { cause });
  }
}

/**
 * Sends statements in one write and reads their answers together: extended protocol with one Sync at the end (PostgreSQL documentation,
 * "Message Flow", pipelining). When one fails, the server skips those behind it. Without a `begin` among them they are one transaction.
 * @returns one promise of rows a statement, and `done` when the connection is free again; `done` never rejects
 */
export function exchange(
  client: ClientBase,
  statements: readonly Statement[],
): { readonly answers: readonly Promise<unknown[]>[]; readonly done: Promise<void> } {
  const settled: Settled[] = [];
  const answers = statements.map(() => new Promise<unknown[]>((resolve, reject) => settled.push({ resolve, reject })));
  const done = new Promise<void>((resolve) => client.query(new Exchange(knownTo(client), statements, settled, resolve)));
  return { answers, done };
}

/** The driver's reader of rows: by name, each value by its type. Its declarations leave out what is used here. */
interface Reader {
  addFields(fields: FieldDef[]): void;
  parseRow(values: unknown[]): unknown;
}
const RowReader = Result as unknown as new () => Reader;

/** Statements that a connection has by name, and how their rows are read; null for one without rows. Undefined where parsing may have failed. */
type Statements = Map<string, { readonly reader: Reader | null } | undefined>;

const connections = new WeakMap<ClientBase, Statements>();

function knownTo(client: ClientBase): Statements {
  const known = connections.get(client) ?? (new Map() as Statements);
  connections.set(client, known);
  return known;
}

/** The part of the driver's connection that is used here. */
interface Wire {
  readonly stream: Writable;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: readonly unknown[] }): void;
  describe(message: { type: 'P'; name: '' }): void;
  execute(message: { portal: '' }): void;
  close(message: { type: 'S'; name: string }): void;
  sync(): void;
}

/** What the driver takes as a query: an object with `submit` and handlers of the server's messages (node-postgres, `client.query`). */
class Exchange implements Submittable {
  /** The driver wraps it with its time limit. */
  callback: (error: unknown) => void;
  private at = 0;
  private reader: Reader | null = null;
  private rows: unknown[] = [];
  private broken: unknown;

  constructor(
    private readonly known: Statements,
    private readonly statements: readonly Statement[],
    private readonly settled: readonly Settled[],
    done: () => void,
  ) {
    this.callback = (error) => {
      if (error) this.fail(error);
      done();
    };
  }

  submit(connection: unknown): Error | null {
    const wire = connection as Wire;
    let values: unknown[][];
    try {
      // Before anything is written: a value that cannot be sent must not leave half of an exchange.
      values = this.statements.map((statement) => statement.values.map(prepareValue));
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
    wire.stream.cork();
    const parsing = new Set<string>();
    this.statements.forEach((statement, i) => this.write(wire, statement, values[i]!, parsing));
    wire.sync();
    wire.stream.uncork();
    this.enter();
    return null;
  }

  private write(wire: Wire, { name = '', text }: Statement, values: readonly unknown[], parsing: Set<string>): void {
    const described = name !== '' && this.known.get(name) !== undefined;
    if (!described && !parsing.has(name)) {
      // Closing one that is not there is no error.
      if (name !== '' && this.known.has(name)) wire.close({ type: 'S', name });
      wire.parse({ name, text });
      if (name !== '') {
        parsing.add(name);
        this.known.set(name, undefined);
      }
    }
    wire.bind({ statement: name, values });
    if (!described) wire.describe({ type: 'P', name: '' });
    wire.execute({ portal: '' });
  }

  /** The rows of a statement that the connection knew when this was sent come without their description. */
  private enter(): void {
    this.rows = [];
    const name = this.statements[this.at]?.name;
    this.reader = (name !== undefined && this.known.get(name)?.reader) || null;
  }

  handleRowDescription({ fields }: { fields: FieldDef[] }): void {
    this.reader = new RowReader();
    this.reader.addFields(fields);
  }

  handleDataRow({ fields }: { fields: unknown[] }): void {
    try {
      this.rows.push(this.reader!.parseRow(fields));
    } catch (error) {
      this.broken ??= error;
    }
  }

  handleCommandComplete(): void {
    // After a time limit the answers may still arrive.
    if (this.at === this.statements.length) return;
    const name = this.statements[this.at]!.name;
    if (name !== undefined && this.known.get(name) === undefined) this.known.set(name, { reader: this.reader });
    const { resolve, reject } = this.settled[this.at++]!;
    if (this.broken === undefined) resolve(this.rows);
    else reject(this.broken);
    this.broken = undefined;
    this.enter();
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete();
  }

  handlePortalSuspended(): void {
    // Never: every portal is run to its end.
  }

  handleError(error: unknown): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }

  private fail(error: unknown): void {
    this.settled[this.at]?.reject(error);
    for (const { reject } of this.settled.slice(this.at + 1)) reject(new StatementSkipped(error));
    this.at = this.statements.length;
  }
}
