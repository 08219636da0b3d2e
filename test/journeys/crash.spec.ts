import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TraceabilityClient, verifyWebhook } from '#client';
import { type DemoFile, readDemoFile } from '../../apps/cli/src/demo/demo-file.js';
import { playScenario } from '../../apps/cli/src/demo/play-scenario.js';
import { readScenario } from '../../apps/cli/src/demo/scenario.js';
import { PATIENCE_MS, eventually } from '../harness/eventually.js';
import { NO_LIMITS } from '../harness/no-limits.js';
import { freePort } from '../harness/free-port.js';
import { WebhookSink } from '../harness/webhook-sink.js';

/** The real program on its embedded engines, as `npm start` runs it. */
class Program {
  private child: ChildProcess | null = null;
  private said = '';
  constructor(
    readonly folder: string,
    readonly port: number,
  ) {}

  launch(): void {
    this.said = '';
    const env = {
      ...process.env,
      ...NO_LIMITS,
      DATA_DIR: this.folder,
      PORT: String(this.port),
      LOG_LEVEL: 'warn',
      DATABASE_TIMEOUT_MS: '5000',
      WEBHOOK_RETRY_DELAYS_MS: '300,600,1200',
    };
    this.child = spawn(process.execPath, [resolve('dist/apps/api/src/main.js')], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout!, this.child.stderr!]) stream.on('data', (chunk: Buffer) => (this.said += chunk.toString()));
  }

  /** The moment in which the start screen stands. */
  async ready(): Promise<DemoFile> {
    await eventually(
      () => `the start screen of ${this.folder}; it said: ${this.said}`,
      () => this.said.includes('Ctrl-C stops it'),
      { withinMs: 2 * PATIENCE_MS, everyMs: 50 },
    );
    return readDemoFile(this.folder)!;
  }

  /** Waits for the end. */
  async ended(): Promise<{ code: number | null; said: string }> {
    const [code] =
      this.child!.exitCode === null && this.child!.signalCode === null
        ? ((await once(this.child!, 'close')) as [number | null])
        : [this.child!.exitCode];
    return { code, said: this.said };
  }

  async interrupt(): Promise<number | null> {
    this.child!.kill('SIGINT');
    return (await this.ended()).code;
  }

  async kill(): Promise<void> {
    this.child!.kill('SIGKILL');
    await this.ended();
  }

  /** Processes of this folder's engines. */
  engines(name: 'anvil' | 'postgres'): number[] {
    const match = name === 'anvil' ? join(this.folder, 'chain') : join(this.folder, 'postgres');
    return processes()
      .filter(({ args }) => args.includes(match) && args.includes(name) && !args.includes('unshare'))
      .map(({ pid }) => pid);
  }

  /** The database server and the process of each of its connections. */
  database(): number[] {
    const servers = this.engines('postgres');
    return [
      ...servers,
      ...processes()
        .filter(({ parent }) => servers.includes(parent))
        .map(({ pid }) => pid),
    ];
  }
}

function processes(): { readonly pid: number; readonly parent: number; readonly args: string }[] {
  return execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .flatMap((m) => (m ? [{ pid: Number(m[1]), parent: Number(m[2]), args: m[3]! }] : []));
}

describe('the program, killed at any moment', () => {
  let program: Program;
  let sink: WebhookSink;
  const folder = mkdtempSync(join(tmpdir(), 'trace-crash-'));

  beforeAll(async () => {
    program = new Program(folder, await freePort());
    sink = await WebhookSink.start();
    program.launch();
    await program.ready();
  });

  afterAll(async () => {
    await program.kill();
    await sink.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const play = async (steps: number): Promise<void> => {
    const demo = readDemoFile(folder)!;
    const scenario = readScenario('rice');
    await playScenario(demo, demo.tenants[0]!, { ...scenario, steps: scenario.steps.slice(0, steps) }, () => undefined);
  };
  const admin = (): Promise<TraceabilityClient> => {
    const demo = readDemoFile(folder)!;
    return TraceabilityClient.login(demo.baseUrl, demo.tenants[0]!.admin.email, demo.tenants[0]!.admin.password, 'rice');
  };

  it('says in one sentence that a second one runs, and that its port is taken', async () => {
    for (const port of [await freePort(), program.port]) {
      const beside = new Program(folder, port);
      beside.launch();
      expect(await beside.ended()).toMatchObject({
        code: 1,
        said: expect.stringMatching(/^Another traceability service \(process \d+\) is using .*\n$/),
      });
    }
    const elsewhere = mkdtempSync(join(tmpdir(), 'trace-crash-port-'));
    const samePort = new Program(elsewhere, program.port);
    samePort.launch();
    expect(await samePort.ended()).toMatchObject({ code: 1, said: expect.stringMatching(/^Port \d+ is taken by another program\. .*\n$/) });
    rmSync(elsewhere, { recursive: true, force: true });
  });

  it('loses nothing and does nothing twice, whichever process is killed in the middle of the play', async () => {
    const { secret } = await (await admin()).webhooks.create(sink.url('/rice'), ['event.recorded', 'nft.created', 'custody.transferred']);
    for (const [round, victim] of (['service', 'anvil', 'postgres', 'service', 'service'] as const).entries()) {
      const playing = play(Number.POSITIVE_INFINITY).catch(() => undefined);
      await pause(700 + round * 350);
      if (victim === 'service') {
        await program.kill();
        program.launch();
      } else for (const pid of program.engines(victim)) process.kill(pid, 'SIGKILL');
      await playing;
      await program.ready();
      await eventually('a ready service', async () => (await fetch(`${readDemoFile(folder)!.baseUrl}/health/ready`).catch(() => null))?.ok);
    }
    await eventually(
      'the whole play',
      () =>
        play(Number.POSITIVE_INFINITY).then(
          () => true,
          () => false,
        ),
      { everyMs: 250 },
    );
    const api = await admin();
    expect(await api.lots.list({ limit: 1 })).toMatchObject({ total: 9 });
    expect(await api.events.list({ limit: 1 })).toMatchObject({ total: 10 });
    const bodies = await eventually(`every topic at the receiver, ${sink.at('/rice').length} came`, () => {
      const byId = new Map(sink.at('/rice').map((hook) => [String(hook.headers['x-webhook-id']), hook]));
      return byId.size >= 23 && byId;
    });
    expect(bodies.size).toBe(23);
    for (const { headers, body } of sink.at('/rice')) {
      expect(verifyWebhook(secret, body, headers['x-webhook-signature'] as string)).toBe(true);
      expect(body.equals(bodies.get(String(headers['x-webhook-id']))!.body)).toBe(true);
    }
  });

  it('answers 503 while its database hangs, and goes on when it is back', async () => {
    const api = await admin();
    const frozen = program.database();
    for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    try {
      await expect(api.lots.list({ limit: 1 })).rejects.toMatchObject({ status: 503, code: 'database_unavailable' });
      expect((await fetch(`${readDemoFile(folder)!.baseUrl}/health/live`)).status).toBe(200);
      expect((await fetch(`${readDemoFile(folder)!.baseUrl}/health/ready`)).status).toBe(503);
    } finally {
      for (const pid of frozen) process.kill(pid, 'SIGCONT');
    }
    await eventually('an answer', () => api.lots.list({ limit: 1 }).catch(() => null), { everyMs: 200 });
  });

  it('stops every child on Ctrl-C and finds its data again', async () => {
    expect(await program.interrupt()).toBe(0);
    expect([...program.engines('anvil'), ...program.engines('postgres')]).toEqual([]);
    expect(existsSync(join(folder, 'service.lock'))).toBe(false);
    program.launch();
    await program.ready();
    expect(await (await admin()).lots.list({ limit: 1 })).toMatchObject({ total: 9 });
    expect(JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8'))).toMatchObject({
      chainId: 31_337,
      tenants: [{ slug: 'rice' }, { slug: 'wool' }],
    });
  });
});
