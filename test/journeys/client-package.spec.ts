import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Session, type TraceabilityClient } from '#client';
import { eventually } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { LocalRegistry } from '../harness/local-registry.js';
import { World } from '../harness/world.js';

type Env = Readonly<Record<string, string>>;
interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** A stranger's folder: nothing in it but the package, and programs that are copied from its README. */
describe('the package of the TypeScript client', () => {
  let world: World;
  let admin: TraceabilityClient;
  let folder: string;
  let packed: Packed;
  let examples: readonly string[];

  beforeAll(async () => {
    // Sign-in by wallet names the address of the service.
    world = await World.start({ PORT: String(await freePort()) });
    await world.play('rice', 8);
    ({ client: admin } = await Session.login(world.baseUrl, world.tenant('rice').admin));
    folder = mkdtempSync(join(tmpdir(), 'trace-stranger-'));
    const [made] = JSON.parse(npm(resolve('libs/client'), 'pack', '--json', '--pack-destination', folder)) as [Packed];
    packed = made;
    await install();
    const readme = readFileSync(join(folder, 'node_modules/traceability-client/README.md'), 'utf8');
    examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code!);
    examples.forEach((code, i) => writeFileSync(join(folder, `example-${i}.ts`), code));
    const compiled = spawnSync(process.execPath, [resolve('node_modules/typescript7/bin/tsc'), '-p', folder], { encoding: 'utf8' });
    expect(compiled.stdout).toBe('');
  });
  afterAll(async () => {
    if (folder) rmSync(folder, { recursive: true, force: true });
    await world?.close();
  });

  /** Without the settings of the npm that runs this test: they forbid scripts. */
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const npm = (at: string, ...args: string[]): string =>
    execFileSync('npm', args, { cwd: at, env: own, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

  async function install(): Promise<void> {
    const strict = {
      strict: true,
      module: 'nodenext',
      target: 'ES2023',
      skipLibCheck: false,
      types: ['node'],
      noUncheckedIndexedAccess: true,
    };
    writeFileSync(join(folder, 'package.json'), '{ "name": "stranger", "private": true, "type": "module" }');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: strict, include: ['example-*.ts'] }));
    const registry = await LocalRegistry.start(['ethers', '@noble/hashes', '@types/node']);
    const child = spawn(
      'npm',
      ['install', '--registry', registry.url, '--cache', join(folder, '.npm'), packed.filename, '@types/node', 'ethers'],
      { cwd: folder, env: own, stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const status = await new Promise((done) => child.on('exit', done));
    await registry.close();
    expect(status).toBe(0);
  }

  function start(
    example: string,
    env: Env,
  ): { readonly child: ChildProcess; readonly said: () => string; readonly ended: Promise<number | null> } {
    const index = examples.findIndex((code) => code.includes(example));
    const child = spawn(process.execPath, [`example-${index}.js`], { cwd: folder, env: { PATH: process.env.PATH!, ...env } });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    return { child, said: () => text, ended: new Promise((done) => child.on('exit', done)) };
  }

  async function run(example: string, env: Env): Promise<string> {
    const { said, ended } = start(example, { SERVICE_URL: world.baseUrl, ...env });
    const status = await ended;
    expect([status, status === 0 ? '' : said()]).toEqual([0, '']);
    return said();
  }

  it('has code, types, licence and README, and nothing of tests; packing leaves nothing behind', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts']));
    expect(paths.filter((path) => !/^(LICENSE|README\.md|package\.json|dist\/[\w/-]+\.(js|d\.ts))$/.test(path))).toEqual([]);
    expect(readdirSync('libs/client').toSorted()).toEqual(['README.md', 'package.json', 'src', 'tsconfig.json']);
    const manifest = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, unknown>>;
    const [client, service] = [manifest('libs/client/package.json'), manifest('package.json')];
    for (const field of ['version', 'license', 'engines']) expect([field, client[field]]).toEqual([field, service[field]]);
  });

  it('has a README whose examples are all run here', () => {
    expect(
      examples.map(
        (code) => /Session\.login|signAndConfirm|createServer|followChanges/.exec(code.split('\n\n').slice(1).join('\n\n'))?.[0],
      ),
    ).toEqual(['Session.login', 'signAndConfirm', 'createServer', 'followChanges']);
  });

  it('signs in, reads lists and calls any operation', async () => {
    const { email, password } = world.tenant('rice').admin;
    const said = await run('Session.login', { EMAIL: email, PASSWORD: password });
    const { data } = await admin.lots.list({ status: 'active', limit: 100 });
    for (const { tlc } of data) expect(said).toContain(tlc);
    expect(said).toMatch(/\d+ topics\n404 lot_not_found\n$/);
  });

  it('prepares, signs, sends and tracks', async () => {
    const [from, to] = ['mill', 'dist'].map((key) => world.tenant('rice').actors[key]!);
    const env = { RPC_URL: world.demo.rpcUrl, CHAIN_ID: String(world.demo.chainId), PRIVATE_KEY: from!.privateKey, TO: to!.address };
    const said = await run('signAndConfirm(', env);
    expect(said).toMatch(/^signing\nsent\ntracked\n[^]*offered: confirmed\n$/);
  });

  it('receives webhooks, and refuses what is forged', async () => {
    const port = await freePort();
    const first = start('createServer', { PORT: String(port) });
    await eventually('the receiver listens', () => first.said().includes('listening'));
    const webhook = await admin.webhooks.create(`http://127.0.0.1:${port}/hook`, ['webhook.test']);
    first.child.kill();
    await first.ended;
    const receiver = start('createServer', {
      PORT: String(port),
      WEBHOOK_SECRETS: `whsec_${Buffer.alloc(32, 'old').toString('base64')} ${webhook.secret}`,
    });
    await eventually('it listens again', () => receiver.said().includes('listening'));
    await admin.post(`/api/v1/webhooks/${webhook.id}/test`);
    await eventually(
      () => `a delivery; it said ${receiver.said()}`,
      () => receiver.said().includes('webhook.test'),
    );
    const forged = await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', body: '{"event":"webhook.test"}' });
    expect(forged.status).toBe(401);
    receiver.child.kill();
    await receiver.ended;
    await admin.webhooks.delete(webhook.id);
  });

  it('follows the changes with an API key', async () => {
    const { secret } = await admin.call('POST /api/v1/api-keys', { body: { name: 'follower', roles: ['TENANT_ADMIN'] } });
    const said = await run('followChanges', { API_KEY: secret! });
    expect(said).toMatch(/event\.recorded\n[^]*up to \S+\n$/);
  });
});
