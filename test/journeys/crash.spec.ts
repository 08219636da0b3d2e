import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JsonRpc } from '#chain';
import { devWallet, freezeProcess } from '#chain/testing';
import { TraceabilityClient, verifyWebhook } from '#client';
import { readDemoFile } from '../../apps/cli/src/demo/demo-file.js';
import { playScenario } from '../../apps/cli/src/demo/play-scenario.js';
import { readScenario } from '../../apps/cli/src/demo/scenario.js';
import { eventually } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { Program } from '../harness/program.js';
import { fillDisk, mountSmallDisk, unmount } from '../harness/small-disk.js';
import { WebhookSink } from '../harness/webhook-sink.js';

describe('the program, killed at any moment', () => {
  let program: Program;
  let sink: WebhookSink;
  const folder = mkdtempSync(join(tmpdir(), 'trace-crash-'));
  const small = mountSmallDisk(folder, '700m');

  beforeAll(async () => {
    program = new Program(folder, await freePort());
    sink = await WebhookSink.start();
    program.launch();
    await program.ready();
  });

  afterAll(async () => {
    await program.kill();
    await sink.close();
    if (small) unmount(folder);
    rmSync(folder, { recursive: true, force: true });
  });

  const play = async (stages: number): Promise<void> => {
    const demo = readDemoFile(folder)!;
    const scenario = readScenario('rice');
    await playScenario(demo, demo.tenants[0]!, { ...scenario, steps: scenario.steps.slice(0, stages) }, () => undefined);
  };
  const admin = (): Promise<TraceabilityClient> => {
    const demo = readDemoFile(folder)!;
    return TraceabilityClient.login(demo.baseUrl, demo.tenants[0]!.admin.email, demo.tenants[0]!.admin.password, 'rice');
  };

  it('says in one sentence that another program runs, or that its port is in use', async () => {
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
    expect(await samePort.ended()).toMatchObject({ code: 1, said: expect.stringMatching(/^Port \d+ is used by another program\. .*\n$/) });
    rmSync(elsewhere, { recursive: true, force: true });
  });

  it('loses nothing and does nothing twice, whichever process is killed in the middle of a scenario', async () => {
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
      expect(verifyWebhook(secret, body, headers).id).toBe(headers['x-webhook-id']);
      expect(body.equals(bodies.get(String(headers['x-webhook-id']))!.body)).toBe(true);
    }
  });

  it('answers 503 while its database hangs, and works again afterwards', async () => {
    const api = await admin();
    const frozen = program.database();
    for (const pid of frozen) freezeProcess(pid);
    try {
      await expect(api.lots.list({ limit: 1 })).rejects.toMatchObject({ status: 503, code: 'database_unavailable' });
      expect((await fetch(`${readDemoFile(folder)!.baseUrl}/health/live`)).status).toBe(200);
      expect((await fetch(`${readDemoFile(folder)!.baseUrl}/health/ready`)).status).toBe(503);
    } finally {
      for (const pid of frozen) process.kill(pid, 'SIGCONT');
    }
    await eventually('an answer', () => api.lots.list({ limit: 1 }).catch(() => null), { everyMs: 200 });
  });

  it('says that its chain hangs, and that it works again', async () => {
    const { baseUrl } = readDemoFile(folder)!;
    const frozen = program.engines('anvil');
    for (const pid of frozen) freezeProcess(pid);
    try {
      await eventually('the chain is down', async () => (await readiness(baseUrl)).includes('"down":["chain"]'), { everyMs: 200 });
      await eventually('a line says so', () => program.said.includes('The chain is down: '), { everyMs: 200 });
    } finally {
      for (const pid of frozen) process.kill(pid, 'SIGCONT');
    }
    await eventually('a line of the end', () => program.said.includes('The chain works again, after '), { everyMs: 200 });
  });

  (small ? it : it.skip)('starts again after kill -9 on a full disk, which each start says in one sentence', async () => {
    const { rpcUrl, baseUrl } = readDemoFile(folder)!;
    const rpc = new JsonRpc({ urls: [rpcUrl], timeoutMs: 5_000, passes: 1 });
    const pay = { from: devWallet(8).address, to: devWallet(9).address, value: '0x1' };
    const api = await admin();
    const { total } = await api.lots.list({ limit: 1 });
    const company = (): Promise<unknown> =>
      api.post('/api/v1/organisations', { name: randomUUID(), publicProfile: { about: randomBytes(6_000).toString('hex') } });
    const ballast = join(folder, 'ballast');
    fillDisk(ballast);
    const busy = new AbortController();
    const load = (async (): Promise<void> => {
      while (!busy.signal.aborted) await rpc.call('eth_sendTransaction', [pay]).catch(() => pause(50));
    })();
    await eventually('a service that says so', async () => (await readiness(baseUrl)).includes('no_space'), { everyMs: 100 });
    await eventually(
      'its database to take no writes, while reads work',
      async () => {
        await company().catch(() => undefined);
        const said = await readiness(baseUrl);
        return /"database":\{"state":"up".*"database_write_access":\{"state":"down".*"reason":"no_space"/.test(said);
      },
      { everyMs: 200 },
    );
    await program.kill();
    busy.abort();
    await load;

    program.launch();
    const { code, said } = await program.ended();
    expect({
      code,
      stack: /\n\s+at /.test(said),
      sentences: said.split('\n').filter((line) => /no space left/i.test(line)).length,
    }).toEqual({
      code: 1,
      stack: false,
      sentences: 1,
    });
    rmSync(ballast);
    program.launch();
    const again = new JsonRpc({ urls: [(await program.ready()).rpcUrl], timeoutMs: 5_000, passes: 1 });
    expect(await (await admin()).lots.list({ limit: 1 })).toMatchObject({ total });
    const hash = await again.call<string>('eth_sendTransaction', [pay]);
    await eventually('a block', async () => (await again.call('eth_getTransactionReceipt', [hash])) !== null);
  });

  it('stops every child process on Ctrl-C, and has its data at the next start', async () => {
    expect(await program.interrupt()).toBe(0);
    expect([...program.engines('anvil'), ...program.engines('postgres')]).toEqual([]);
    expect(existsSync(join(folder, 'service.lock'))).toBe(false);
    program.launch();
    const { rpcUrl } = await program.ready();
    expect(program.said).not.toContain('Creating the demo tenants');
    expect(program.said).toContain(rpcUrl);
    expect(await (await admin()).lots.list({ limit: 1 })).toMatchObject({ total: 9 });
    expect(JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8'))).toMatchObject({
      chainId: 31_337,
      tenants: [{ slug: 'rice' }, { slug: 'wool' }, { slug: 'seafood' }, { slug: 'battery' }, { slug: 'textile' }],
    });
  });
});

const readiness = (baseUrl: string): Promise<string> =>
  fetch(`${baseUrl}/health/ready`).then(
    (answer) => answer.text(),
    () => '',
  );
