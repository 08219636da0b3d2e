import { decodeLog, tenantCreatedTopic, tenantLotsTopics } from '#chain';
import type { PostgresEndpoint } from '#persistence';
import { Client } from 'pg';
import { processorTime } from './processor-time.js';

/** The tables that the indexer writes for mints, with the column of the block number. */
const TABLES: Readonly<Record<string, string>> = {
  'traceability.lot': 'from_block',
  'traceability.event': 'block_number',
  'traceability.event_lot': 'block_number',
  'traceability.edge': 'block_number',
  'traceability.block_time': 'block_number',
  'persistence.outbox': 'block_number',
  'transactions.landed': 'block_number',
};
/** It sees the rows of all tenants. */
const SYSTEM_ROLE = 'trace_system';
const TOPICS = [[tenantCreatedTopic, ...tenantLotsTopics]];
/** Blocks per request: about as many as the ranges of the indexer have with such blocks. */
const RANGE = 100;

interface Blocks {
  readonly from: number;
  readonly to: number;
}

interface Message {
  readonly chunk: Buffer;
}

/** What node-postgres asks of a query of its own kind, as far as COPY needs it. */
interface Wire {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

class Copy {
  readonly chunks: Buffer[] = [];
  readonly done: Promise<void>;
  private resolve!: () => void;
  private reject!: (error: Error) => void;

  constructor(
    private readonly text: string,
    private readonly rows: readonly Buffer[] = [],
  ) {
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  submit(connection: Wire): void {
    connection.query(this.text);
  }
  handleCopyInResponse(connection: Wire): void {
    for (const chunk of this.rows) connection.sendCopyFromChunk(chunk);
    connection.endCopyFrom();
  }
  handleCopyData({ chunk }: Message): void {
    this.chunks.push(Buffer.from(chunk));
  }
  handleCommandComplete(): void {}
  handleError(error: Error): void {
    this.reject(error);
  }
  handleReadyForQuery(): void {
    this.resolve();
  }
}

async function copy(client: Client, text: string, rows?: readonly Buffer[]): Promise<readonly Buffer[]> {
  const query = new Copy(text, rows);
  (client as { query(query: Copy): void }).query(query);
  await query.done;
  return query.chunks;
}

interface Prepared {
  readonly table: string;
  readonly columns: string;
  readonly rows: readonly Buffer[];
}

/**
 * The least that an indexer can do with these blocks: request the logs, decode them, and COPY the rows that the indexer made from them,
 * already as text, into tables of the same form. It folds nothing, looks nothing up and reads nothing from the content store.
 */
export class RawLimit {
  private constructor(private readonly client: Client) {}

  static async open(endpoint: PostgresEndpoint): Promise<RawLimit> {
    const client = new Client({ ...endpoint });
    // The server ends before its clients when a run fails.
    client.on('error', () => undefined);
    await client.connect();
    await client.query('create schema raw_limit');
    await client.query(`grant usage on schema raw_limit to ${SYSTEM_ROLE}`);
    return new RawLimit(client);
  }

  close(): Promise<void> {
    return this.client.end();
  }

  /** Seconds, with the tables' indexes and checks (`kept`) or into bare ones. */
  async run(
    url: string,
    blocks: Blocks,
    kept: boolean,
  ): Promise<{ readonly seconds: number; readonly processor: number; readonly logs: number; readonly rows: number }> {
    const prepared: Prepared[] = [];
    for (const [table, column] of Object.entries(TABLES)) prepared.push(await this.rowsOf(table, column, blocks, kept));
    const processor = processorTime();
    const begun = performance.now();
    const logs = await this.fetchAndDecode(url, blocks);
    await this.client.query('begin');
    for (const { table, columns, rows } of prepared) await copy(this.client, `copy ${table} (${columns}) from stdin`, rows);
    await this.client.query('commit');
    const seconds = (performance.now() - begun) / 1000;
    const used = processorTime() - processor;
    return { seconds, processor: used, logs, rows: prepared.reduce((sum, { rows }) => sum + rows.length, 0) };
  }

  private async rowsOf(table: string, column: string, { from, to }: Blocks, kept: boolean): Promise<Prepared> {
    const copied = `raw_limit.${table.split('.')[1]}`;
    await this.client.query(`drop table if exists ${copied}`);
    await this.client.query(
      `create table ${copied} (like ${table} including ${kept ? 'all' : 'defaults including generated including identity'})`,
    );
    const { rows } = await this.client.query<{ names: string }>(
      `select string_agg(quote_ident(attname), ', ' order by attnum) as names from pg_attribute
       where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity <> 'a'`,
    );
    const columns = rows[0]!.names;
    await this.client.query(`begin; set local role ${SYSTEM_ROLE}`);
    const text = await copy(this.client, `copy (select ${columns} from ${table} where ${column} between ${from} and ${to}) to stdout`);
    await this.client.query('commit');
    return { table: copied, columns, rows: text };
  }

  private async fetchAndDecode(url: string, { from, to }: Blocks): Promise<number> {
    let decoded = 0;
    for (let at = from; at <= to; at += RANGE) {
      const range = { fromBlock: hex(at), toBlock: hex(Math.min(to, at + RANGE - 1)), topics: TOPICS };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [range] });
      const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      const { result } = (await response.json()) as { result: { topics: string[]; data: string }[] };
      for (const log of result) if (decodeLog(log)) decoded++;
    }
    return decoded;
  }
}

const hex = (number: number): string => `0x${number.toString(16)}`;
