import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHmac, webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import type { Actor } from '#kernel';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { webhooksPersistence } from '#webhooks';
import { eventually } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { type SunkRequest, WebhookSink } from '../harness/webhook-sink.js';
import { type Admin, publish, tenantAdmin, type Webhook, WebhooksWorld } from './webhooks-world.js';

const KIT = resolve('docs/how-to/receivers');
const GO = process.env.TEST_GO_BIN ?? 'go';
const runs = (program: string, flag: string): boolean => spawnSync(program, [flag]).status === 0;
const SCHEMES = ['standard', 'sha256'] as const;

/** How each receiver of the kit is started, where its toolchain is here. */
const LANGUAGES: readonly { readonly name: string; readonly here: boolean; readonly command: (folder: string) => string[] }[] = [
  { name: 'TypeScript', here: true, command: () => [process.execPath, resolve('dist/docs/how-to/receivers/receiver.js')] },
  { name: 'Python (python3)', here: runs('python3', '--version'), command: () => ['python3', join(KIT, 'receiver.py')] },
  {
    name: 'Go (go, or TEST_GO_BIN)',
    here: runs(GO, 'version'),
    command: (folder) => {
      const env = { ...process.env, GOCACHE: process.env.GOCACHE ?? join(folder, 'go') };
      const built = spawnSync(GO, ['build', '-o', join(folder, 'receiver'), join(KIT, 'receiver.go')], { env, encoding: 'utf8' });
      if (built.status !== 0) throw new Error(built.stderr);
      return [join(folder, 'receiver')];
    },
  },
];

/** A receiver of the kit in a process of its own, as a user runs it. */
class Receiver {
  readonly said: { id: string; outcome: string }[] = [];
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start([program, ...args]: string[], port: number, env: Readonly<Record<string, string>> = {}): Promise<Receiver> {
    const child = spawn(program!, args, {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port), ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const receiver = new Receiver(child, `http://127.0.0.1:${port}/hook`);
    let text = '';
    let listening = false;
    child.stdout.on('data', (chunk: Buffer) => {
      const lines = (text + chunk.toString()).split('\n');
      text = lines.pop()!;
      for (const line of lines)
        if (line === 'listening') listening = true;
        else receiver.said.push(JSON.parse(line) as { id: string; outcome: string });
    });
    await eventually(`${program} to listen`, () => listening);
    return receiver;
  }

  async post(headers: Readonly<Record<string, string>>, body: Buffer): Promise<number> {
    return (await fetch(this.url, { method: 'POST', headers, body: new Uint8Array(body) })).status;
  }

  async stop(): Promise<void> {
    const closed = once(this.child, 'close');
    this.child.kill('SIGKILL');
    await closed;
  }
}

describe('the receiver kit', () => {
  let db: TestDatabase;
  let world: WebhooksWorld;
  let sink: WebhookSink;
  let rice: Actor;
  let admin: Admin;
  let recorded: Webhook;
  let real: SunkRequest;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'trace-receivers-'));
    [db, sink] = await Promise.all([cloneTestDatabase([webhooksPersistence]), WebhookSink.start()]);
    world = await WebhooksWorld.start(db.endpoint, { timeoutMs: 10_000 });
    rice = tenantAdmin();
    admin = world.as(rice);
    recorded = await admin.subscribe(sink.url(), 'event.recorded');
    await publish(db.unitOfWork, rice, 'event.recorded', { z: 1, a: 1.0, big: 1e21, é: 'é\u2028😀' });
    [real] = (await sink.received('/hook', 1)) as [SunkRequest];
  });
  afterAll(async () => {
    await world?.stop();
    await sink?.close();
    await db?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Headers of the recorded delivery, those of the connection left out. */
  const headersOf = (changes: Readonly<Record<string, string>> = {}): Record<string, string> => {
    const own = Object.entries(real.headers).filter(([name]) => name === 'content-type' || name.includes('webhook'));
    return { ...(Object.fromEntries(own) as Record<string, string>), ...changes };
  };

  for (const { name, here, command } of LANGUAGES)
    (here ? describe : describe.skip)(`in ${name}`, () => {
      let launch: string[];
      beforeAll(() => {
        launch = command(folder);
      });

      it.each(SCHEMES)('takes a real delivery by %s, once, and nothing else', async (scheme) => {
        const port = await freePort();
        const before = await Receiver.start(launch, port);
        const webhook = await admin.subscribe(before.url, 'nft.created');
        expect(await before.post(headersOf(), real.body)).toBe(401);
        await before.stop();

        const env = { WEBHOOK_SECRETS: `${webhook.secret} ${recorded.secret}`, WEBHOOK_SCHEME: scheme };
        const receiver = await Receiver.start(launch, port, env);
        try {
          await publish(db.unitOfWork, rice, 'nft.created', { tokenId: 1, é: 'é\u2028😀' });
          const delivered = await eventually('the delivery', async () =>
            (await admin.deliveries(webhook.id)).find(({ success }) => success),
          );
          expect(delivered).toMatchObject({ statusCode: 200, attempt: 1 });
          // What a program prints may come after its answer.
          await eventually('what it says', () => receiver.said.length > 0);
          expect(receiver.said).toEqual([{ id: delivered.id, outcome: 'handled' }]);
          await refusesForgeries(receiver, scheme);
          await takesOnce(receiver, scheme);
        } finally {
          await receiver.stop();
          await admin.call('DELETE', `/${webhook.id}`);
        }
      });
    });

  async function refusesForgeries(receiver: Receiver, scheme: (typeof SCHEMES)[number]): Promise<void> {
    const header = scheme === 'standard' ? 'webhook-signature' : 'x-webhook-signature';
    const altered = Buffer.from(real.body);
    altered[altered.length - 3]! ^= 1;
    const forgeries: [Record<string, string>, Buffer][] = [
      [headersOf(), altered],
      [headersOf(), Buffer.concat([real.body, Buffer.from('\n')])],
      [headersOf({ [header]: 'é' }), real.body],
      [headersOf({ [header]: '' }), real.body],
      [headersOf({ [header]: headersOf()[header]!.slice(0, -4) }), real.body],
      [{ 'content-type': 'application/json' }, real.body],
      [signedBy('whsec_c29tZWJvZHkgZWxzZSdzIHNlY3JldCBvZiAzMiBieXRlcw==', new Date()), real.body],
      ...(scheme === 'sha256'
        ? []
        : [-400, 400].map((s): [Record<string, string>, Buffer] => [signedBy(recorded.secret, inSeconds(s)), real.body])),
      ...(scheme === 'sha256' ? [] : [[headersOf({ 'webhook-id': 'another' }), real.body] as [Record<string, string>, Buffer]]),
    ];
    const statuses: number[] = [];
    for (const [headers, body] of forgeries) statuses.push(await receiver.post(headers, body));
    expect(statuses).toEqual(forgeries.map(() => 401));
  }

  async function takesOnce(receiver: Receiver, scheme: (typeof SCHEMES)[number]): Promise<void> {
    const taken = (): typeof receiver.said => receiver.said.filter(({ outcome }) => ['handled', 'repeated'].includes(outcome));
    const from = taken().length;
    // Only the id of Standard Webhooks is signed, so a changed X-Webhook-Id has no second effect.
    const again = scheme === 'standard' ? [headersOf(), headersOf({ 'x-webhook-id': 'another' })] : [headersOf()];
    for (const headers of [headersOf(), ...again]) expect(await receiver.post(headers, real.body)).toBe(200);
    const outcomes = ['handled', ...again.map(() => 'repeated')];
    await eventually('what it says', () => taken().length >= from + outcomes.length);
    const id = headersOf()['webhook-id']!;
    expect(taken().slice(from)).toEqual(outcomes.map((outcome) => ({ id, outcome })));
  }

  const inSeconds = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);
  /** The recorded delivery as if it was signed with that secret at that time. */
  const signedBy = (secret: string, at: Date): Record<string, string> =>
    headersOf({
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new StandardWebhook(secret).sign(headersOf()['webhook-id']!, at, real.body.toString()),
      'x-webhook-signature': `sha256=${createHmac('sha256', secret).update(real.body).digest('hex')}`,
    });

  describe('of others', () => {
    it('the package standardwebhooks takes a real delivery, and refuses another', () => {
      const verifier = new StandardWebhook(recorded.secret);
      expect(verifier.verify(real.body, headersOf())).toMatchObject({ event: 'event.recorded' });
      expect(() => verifier.verify(`${real.body.toString()} `, headersOf())).toThrow();
      expect(() => verifier.verify(real.body, headersOf({ 'webhook-id': 'another' }))).toThrow();
    });

    it("GitHub's verifier takes a real delivery, and refuses another", async () => {
      const signature = headersOf()['x-webhook-signature']!;
      expect(await githubVerifies(recorded.secret, signature, real.body)).toBe(true);
      expect(await githubVerifies(recorded.secret, signature, Buffer.concat([real.body, Buffer.from(' ')]))).toBe(false);
      expect(await githubVerifies(`${recorded.secret} `, signature, real.body)).toBe(false);
    });
  });

  const shell = runs('openssl', 'version') ? describe : describe.skip;
  shell('in a shell (openssl)', () => {
    let bodyFile: string;
    beforeAll(() => {
      bodyFile = join(folder, 'body.json');
      writeFileSync(bodyFile, real.body);
      mkdirSync(join(folder, 'seen'));
    });
    const ends = (command: string[], env: Readonly<Record<string, string>>): number | null =>
      spawnSync(command[0]!, command.slice(1), { cwd: folder, env: { PATH: process.env.PATH, ...env }, stdio: 'ignore' }).status;

    it('the one line of the how-to knows a real delivery from another', () => {
      const line = /```sh\n(.*openssl.*)\n```/.exec(readFileSync('docs/how-to/receive-webhooks.md', 'utf8'))![1]!;
      const env = { WEBHOOK_SECRET: recorded.secret, X_WEBHOOK_SIGNATURE: headersOf()['x-webhook-signature']! };
      expect(ends(['sh', '-c', line], env)).toBe(0);
      expect(ends(['sh', '-c', line], { ...env, WEBHOOK_SECRET: 'whsec_' })).toBe(1);
      expect(ends(['sh', '-c', line], { ...env, X_WEBHOOK_SIGNATURE: 'sha256=' })).toBe(1);
      writeFileSync(bodyFile, `${real.body.toString()}\n`);
      expect(ends(['sh', '-c', line], env)).toBe(1);
      writeFileSync(bodyFile, real.body);
    });

    it('verify.sh takes a real delivery once, and nothing else', () => {
      const given = (headers: Readonly<Record<string, string>>): Record<string, string> => ({
        WEBHOOK_SECRET: recorded.secret,
        WEBHOOK_ID: headers['webhook-id']!,
        WEBHOOK_TIMESTAMP: headers['webhook-timestamp']!,
        WEBHOOK_SIGNATURE: headers['webhook-signature']!,
      });
      const verify = (env: Readonly<Record<string, string>>, seen = 'seen'): number | null =>
        ends([join(KIT, 'verify.sh'), bodyFile, seen], env);
      const right = given(headersOf());
      const signed = `${right['WEBHOOK_ID']}.${right['WEBHOOK_TIMESTAMP']}.`;
      const withoutKey = createHmac('sha256', '').update(signed).update(real.body).digest('base64');
      for (const wrong of [
        { ...right, WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 'not it').toString('base64')}` },
        { ...right, WEBHOOK_SECRET: 'whsec_', WEBHOOK_SIGNATURE: `v1,${withoutKey}` },
        { ...right, WEBHOOK_ID: '../seen' },
        { ...right, WEBHOOK_ID: 'another' },
        { ...right, WEBHOOK_TIMESTAMP: '08' },
        { ...right, WEBHOOK_TIMESTAMP: '' },
        { ...right, WEBHOOK_SIGNATURE: 'v1,' },
        { ...right, WEBHOOK_SIGNATURE: '*' },
        given(signedBy(recorded.secret, inSeconds(-400))),
        given(signedBy(recorded.secret, inSeconds(400))),
      ])
        expect([wrong, verify(wrong)]).toEqual([wrong, 1]);
      expect(verify(right, 'no such folder')).toBe(1);
      const rotating = { ...right, WEBHOOK_SIGNATURE: `v1,bm90IGl0 ${right.WEBHOOK_SIGNATURE}` };
      expect([verify(rotating), verify(rotating), verify(right)]).toEqual([0, 3, 3]);
    });
  });
});

/** As GitHub documents the check of `X-Hub-Signature-256` for JavaScript: by WebCrypto, which compares by itself. */
async function githubVerifies(secret: string, header: string, payload: Buffer): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: { name: 'SHA-256' } };
  const key = await webcrypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['sign', 'verify']);
  return webcrypto.subtle.verify(algorithm.name, key, Buffer.from(header.split('=')[1]!, 'hex'), payload);
}
