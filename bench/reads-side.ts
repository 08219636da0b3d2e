import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { type PostgresEndpoint, embeddedEndpoint } from '#persistence';
import { Load } from './load-apart.js';
import { type Work, difference, workOf } from './read-work.js';
import type { ReadService } from './reads-service.js';

/** Of its embedded PostgreSQL. */
export const databaseOf = ({ folder }: ReadService): PostgresEndpoint => embeddedEndpoint(join(folder, 'postgres'));

const CONNECTIONS = 8;
export const REQUESTS = Number(process.env['READS_REQUESTS'] ?? 400);
const ROUNDS = Number(process.env['READS_ROUNDS'] ?? 11);
const REVISED = 100;
const WARM_UP = 2;
/** So long a service is watched that nobody asks: its jobs look for work. */
const IDLE_MS = 1_500;

/** A running service, with the sender that asks it. */
export class Side {
  private readonly load = new Load(CONNECTIONS, REQUESTS);

  private constructor(
    private readonly child: ChildProcess,
    readonly at: ReadService,
  ) {}

  static async start(root: string, bare: boolean): Promise<Side> {
    const child = fork(new URL('reads-service.js', import.meta.url), [root, ...(bare ? ['bare'] : [])], { cwd: root });
    const gone = once(child, 'exit').then(() => {
      throw new Error(`${root} did not start`);
    });
    const [at] = (await Promise.race([once(child, 'message'), gone])) as [ReadService];
    gone.catch(() => undefined);
    return new Side(child, at);
  }

  /** @param base of another service, on the same PostgreSQL, that process `pid` is */
  async cost(path: string, base = this.at.baseUrl, pid = this.child.pid!): Promise<Work> {
    const idle = workOf(pid, this.at.folder);
    await pause(IDLE_MS);
    const before = workOf(pid, this.at.folder);
    await this.load.run(base + path, this.at.headers);
    return difference(workOf(pid, this.at.folder), before, REQUESTS, difference(before, idle, 1));
  }

  /** Each request after a change of its tenant. That the change itself costs the database something is in it. */
  async costRevised(path: string): Promise<Work> {
    const client = new Client({ ...databaseOf(this.at) });
    await client.connect();
    await client.query('set role trace_system');
    const revise = `select persistence.revise(tenant_id) from identity.tenant_v1 where slug = 'rice'`;
    for (let i = 0; i < 20; i++) await this.once(path);
    const before = this.work();
    for (let i = 0; i < REVISED; i++) {
      await client.query(revise);
      await this.once(path);
    }
    const cost = difference(this.work(), before, REVISED);
    await client.end();
    return cost;
  }

  private async once(path: string): Promise<void> {
    const answer = await fetch(this.at.baseUrl + path, { headers: this.at.headers });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  }

  private work(): Work {
    return workOf(this.child.pid!, this.at.folder);
  }

  end(): void {
    this.load.close();
    this.child.disconnect();
  }
}

export type Pair<Other> = readonly [Work, Other];

/** Rounds of both, each first as often as last. */
export async function alternate<Other>(own: () => Promise<Work>, other: () => Promise<Other>): Promise<Pair<Other>[]> {
  for (let round = 0; round < WARM_UP; round++) {
    await other();
    await own();
  }
  const pairs: Pair<Other>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    if (round % 2 === 0) {
      const second = await other();
      pairs.push([await own(), second]);
    } else pairs.push([await own(), await other()]);
  }
  return pairs;
}
