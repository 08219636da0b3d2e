import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Actor, newId } from '#kernel';
import { discardOutbox, releaseOutbox } from '#persistence';
import { anyMessage } from '#persistence/testing';
import { freePort } from '../test/harness/free-port.js';
import { shortened, tenantAdmin, WebhooksWorld } from '../test/engines/webhooks-world.js';
import type { Measurement, Scenario } from './report.js';
import { Bench } from './webhooks/bench.js';

const READERS = 100;
const CHANGES = Number(process.env.CHANGES ?? 100_000);
/** Of the run in which nothing is killed. */
const QUIET = CHANGES / 10;
const KILLS = 50;
const REORGS = 20;
/** 50 of them in nine of ten minutes. */
const KILL_EVERY_MS = 10_000;
/** Small ones, as chains make them: a reader gets a block as soon as it is final. */
const BLOCKS = 1_000;
const PACE_MS = 600;
const CHAIN = 31_337;

interface Page {
  readonly data: readonly { readonly id: string; readonly data: { readonly n: number; readonly at: number } }[];
  readonly cursor: string;
}

/** What one reader got. */
class Reader {
  count = 0;
  readonly order = createHash('sha256');
  readonly lags: number[] = [];
  private readonly seen = new Set<string>();
  repeated = 0;

  take({ data }: Page, now: number): void {
    for (const { id, data: change } of data) {
      if (this.seen.has(id)) this.repeated++;
      this.seen.add(id);
      this.order.update(id);
      this.count++;
      this.lags.push(now - change.at);
    }
  }
}

/** Processes that answer, and one that relays; each is killed and started again. */
class Processes {
  private readonly running: ChildProcess[] = [];
  kills = 0;

  constructor(
    private readonly bench: Bench,
    private readonly ports: readonly (number | undefined)[],
  ) {}

  async start(): Promise<void> {
    for (const port of this.ports) this.running.push(await this.one(port));
  }

  /** The next one of them, again and again. */
  async kill(): Promise<void> {
    await pause(KILL_EVERY_MS);
    const place = this.kills++ % this.ports.length;
    this.running[place]!.kill('SIGKILL');
    this.running[place] = await this.one(this.ports[place]);
  }

  end(): void {
    for (const child of this.running) child.kill('SIGKILL');
  }

  private async one(port: number | undefined): Promise<ChildProcess> {
    const script = fileURLToPath(new URL('../test/engines/webhooks-worker-process.js', import.meta.url));
    const settings = JSON.stringify({ endpoint: this.bench.endpoint, webhooks: shortened(), port });
    const child = spawn(process.execPath, [script, settings], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    return child;
  }
}

async function read(reader: Reader, ports: readonly number[], tenant: Actor, changes: number): Promise<void> {
  for (let after = '', place = 0; reader.count < changes;) {
    const at = WebhooksWorld.at(`http://127.0.0.1:${ports[place % ports.length]!}`, tenant);
    const answer = await at.call<Page>('GET', `/api/v1/changes?wait=20&limit=1000${after}`).catch(() => null);
    if (answer?.status !== 200) {
      // Killed, or not up again: the other process answers.
      place++;
      await pause(20);
      continue;
    }
    reader.take(answer.body, Date.now());
    after = `&after=${answer.body.cursor}`;
  }
}

/** Blocks of changes, at a pace; some are replaced before they are final. */
async function write(bench: Bench, tenant: Actor, changes: number): Promise<void> {
  const each = CHANGES / BLOCKS;
  const blocks = changes / each;
  const land = (block: number, gone: boolean): Promise<void> =>
    bench.unitOfWork.inTransaction(tenant, (tx) =>
      tx.publish(
        Array.from({ length: each }, (_, i) =>
          anyMessage(
            'nft.created',
            { n: gone ? -1 : (block - 1) * each + i, at: Date.now() },
            { key: `nft.created:${tenant.tenantId}:${block}:${i}`, occurredAt: new Date(), block: { chainId: CHAIN, number: block } },
          ),
        ),
      ),
    );
  for (let block = 1; block <= blocks; block++) {
    const began = Date.now();
    if (block % (blocks / REORGS) === 0) {
      await land(block, true);
      await bench.unitOfWork.asSystem((tx) => discardOutbox(tx, CHAIN, block - 1));
    }
    await land(block, false);
    await bench.unitOfWork.asSystem((tx) => releaseOutbox(tx, CHAIN, block));
    await pause(Math.max(0, PACE_MS - (Date.now() - began)));
  }
}

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))]!;

/** @param kills during the run */
async function run(
  bench: Bench,
  kills: number,
  changes: number,
  say: (line: string) => void,
): Promise<{ readers: Reader[]; seconds: number }> {
  const tenant: Actor = { ...tenantAdmin(), id: newId() };
  const ports = await Promise.all([freePort(), freePort()]);
  const processes = new Processes(bench, [...ports, undefined, undefined]);
  await processes.start();
  const readers = Array.from({ length: READERS }, () => new Reader());
  const began = performance.now();
  const killing = (async () => {
    while (processes.kills < kills) await processes.kill();
    say(`${processes.kills} kills`);
  })();
  const reading = Promise.all(readers.map((reader) => read(reader, ports, tenant, changes)));
  await write(bench, tenant, changes);
  say('all is written');
  await killing;
  await reading;
  processes.end();
  return { readers, seconds: (performance.now() - began) / 1_000 };
}

function measured(name: string, { readers, seconds }: { readers: Reader[]; seconds: number }, changes: number): Measurement[] {
  const lags = readers.flatMap(({ lags: own }) => own.filter((_, i) => i % 10 === 0));
  const orders = new Set(readers.map(({ order }) => order.copy().digest('hex')));
  return [
    { what: `${name}: orders that readers saw`, value: orders.size, unit: '', limit: '1' },
    {
      what: `${name}: changes that a reader saw twice`,
      value: readers.reduce((sum, { repeated }) => sum + repeated, 0),
      unit: '',
      limit: '0',
    },
    {
      what: `${name}: changes that the last reader saw`,
      value: Math.min(...readers.map(({ count }) => count)),
      unit: '',
      limit: String(changes),
    },
    { what: `${name}: median lag`, value: percentile(lags, 0.5), unit: 'ms' },
    { what: `${name}: p99 lag`, value: percentile(lags, 0.99), unit: 'ms', limit: 'below 1,000' },
    { what: `${name}: in all`, value: seconds, unit: 's' },
  ];
}

export const scenario: Scenario = {
  name: 'changes',
  about: `The change feed: ${READERS} readers of one tenant wait with long polls at two API processes, two processes relay. A block of ${CHANGES / BLOCKS} changes is final every ${PACE_MS} ms, ${REORGS} blocks are replaced before they are. In the first run nothing is killed (${QUIET} changes); in the second, of ${CHANGES} changes, ${KILLS} kills (SIGKILL) of API and relay, one after the other, each ${KILL_EVERY_MS / 1_000} s after the process before has started again. Lag is from the moment at which a change is written, its block final at once, to its arrival at a reader; all readers are one process on the same cores.`,
  async run(say): Promise<readonly Measurement[]> {
    const bench = await Bench.start();
    try {
      const quiet = measured('without kills', await run(bench, 0, QUIET, say), QUIET);
      const killed = measured('with kills', await run(bench, KILLS, CHANGES, say), CHANGES);
      return [...quiet, ...killed];
    } finally {
      await bench.close();
    }
  },
};
