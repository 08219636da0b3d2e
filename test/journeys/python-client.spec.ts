import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Wallet, encodeRlp, hexlify, keccak256 } from 'ethers';
import { Session, type TraceabilityClient } from '#client';
import { eventually } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { World } from '../harness/world.js';

const PYTHON = '/usr/bin/python3';
const FOLDER = resolve('clients/python');
const VECTORS = `${FOLDER}/tests/vectors.json`;
const OPERATIONS = `${FOLDER}/src/traceability_client/operations.py`;
const hasEcdsa = spawnSync(PYTHON, ['-c', 'import ecdsa']).status === 0;
if (!hasEcdsa) process.stderr.write('!! python3-ecdsa was not found: the Python client is NOT tested.\n');

type Env = Readonly<Record<string, string>>;
const environment: Env = { PATH: process.env.PATH!, PYTHONPATH: `${FOLDER}/src`, PYTHONDONTWRITEBYTECODE: '1' };

/** What ethers makes of the same keys, texts and transactions. */
async function vectors(): Promise<object> {
  const texts = ['', 'abc', 'ö', 'x'.repeat(135), 'x'.repeat(136), 'x'.repeat(137), 'x'.repeat(1000)].map((text) =>
    hexlify(Buffer.from(text)),
  );
  const items = [
    '0x',
    '0x7f',
    '0x80',
    hexlify(Buffer.alloc(55, 1)),
    hexlify(Buffer.alloc(56, 1)),
    hexlify(Buffer.alloc(70_000, 1)),
    [],
    [['0x01'], '0x0400'],
  ];
  const keys = [1, 2, 3, 4, 5, 6].map((n) => keccak256(Uint8Array.of(n)));
  const signed = keys.map(async (privateKey, i) => {
    const wallet = new Wallet(privateKey);
    const text = `Sign in ${i}, süß\n`;
    const [nonce, data, value] = [i * 200, hexlify(Buffer.alloc(i * 30, 7)), String(10n ** BigInt(i * 4) * BigInt(i % 2))];
    const to = i === 0 ? null : new Wallet(keys[0]!).address;
    const [maxFeePerGas, maxPriorityFeePerGas, gasLimit, chainId] = [2_000_000_007, 1_000_000_000, 21_000 + i, 31_337];
    const transaction = await wallet.signTransaction({
      type: 2,
      chainId,
      nonce,
      to,
      data,
      value: BigInt(value),
      gasLimit,
      maxFeePerGas,
      maxPriorityFeePerGas,
    });
    const fields = {
      chain_id: chainId,
      nonce,
      to,
      data,
      value,
      gas_limit: gasLimit,
      max_fee_per_gas: maxFeePerGas,
      max_priority_fee_per_gas: maxPriorityFeePerGas,
    };
    return { privateKey, address: wallet.address, text, message: await wallet.signMessage(text), fields, transaction };
  });
  return {
    keccak256: texts.map((data) => ({ data, digest: keccak256(data) })),
    rlp: items.map((item) => ({ item, encoded: encodeRlp(item) })),
    signed: await Promise.all(signed),
  };
}

describe('the generated part of the Python client', () => {
  it('has the vectors of ethers (WRITE_VECTORS=true writes them)', async () => {
    const expected = await vectors();
    if (process.env.WRITE_VECTORS === 'true') writeFileSync(VECTORS, `${JSON.stringify(expected, null, 1)}\n`);
    expect(JSON.parse(readFileSync(VECTORS, 'utf8'))).toEqual(expected);
  });
});

(hasEcdsa ? describe : describe.skip)('the Python client', () => {
  let world: World;
  let admin: TraceabilityClient;
  const examples = [...readFileSync(`${FOLDER}/README.md`, 'utf8').matchAll(/```python\n(.*?)```/gs)].map(([, code]) => code!);

  beforeAll(async () => {
    // Sign-in by wallet names the address of the service.
    world = await World.start({ PORT: String(await freePort()) });
    await world.play('rice', 8);
    ({ client: admin } = await Session.login(world.baseUrl, world.tenant('rice').admin));
  });
  afterAll(() => world?.close());

  function start(what: string | readonly string[], env: Env = {}) {
    const code = typeof what === 'string' ? ['-c', examples.find((one) => one.includes(what))!] : what;
    const child = spawn(PYTHON, code, { env: { ...environment, SERVICE_URL: world.baseUrl, ...env } });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    return { child, said: () => text, ended: new Promise<number | null>((done) => child.on('close', done)) };
  }

  async function run(what: string | readonly string[], env: Env = {}): Promise<string> {
    const { said, ended } = start(what, env);
    const status = await ended;
    expect([status, status === 0 ? '' : said()]).toEqual([0, '']);
    return said();
  }

  it('has every operation of the service; `node tools/openapi-types.mjs` regenerates them', async () => {
    const { pythonOf } = (await import(pathToFileURL(resolve('tools/python-client.mjs')).href)) as {
      pythonOf: (document: unknown) => string;
    };
    const document: unknown = await (await fetch(`${world.baseUrl}/openapi.json`)).json();
    expect(readFileSync(OPERATIONS, 'utf8')).toBe(pythonOf(document));
  });

  it('hashes, encodes and signs as ethers does, and tells forged webhooks from true ones', async () => {
    expect(await run(['-m', 'unittest', 'discover', '-s', `${FOLDER}/tests`])).toMatch(/Ran [1-9]\d* tests[^]*\nOK/);
  });

  it('signs in, reads lists and calls operations', async () => {
    const { email, password } = world.tenant('rice').admin;
    const said = await run('Client.login', { EMAIL: email, PASSWORD: password });
    const { data } = await admin.lots.list({ status: 'active', limit: 100 });
    for (const { tlc } of data) expect(said).toContain(tlc);
    expect(said).toMatch(/\d+ topics\n404 lot_not_found\n$/);
  });

  it('prepares, signs, sends and tracks', async () => {
    const [from, to] = ['mill', 'dist'].map((key) => world.tenant('rice').actors[key]!);
    const env = { RPC_URL: world.demo.rpcUrl, CHAIN_ID: String(world.demo.chainId), PRIVATE_KEY: from!.privateKey, TO: to!.address };
    expect(await run('sign_and_confirm(', env)).toMatch(/offered: confirmed\n$/);
  });

  it('receives webhooks, and refuses what is forged', async () => {
    const port = String(await freePort());
    const first = start('verify_webhook', { PORT: port });
    await eventually('the receiver listens', () => first.said().includes('listening'));
    const webhook = await admin.webhooks.create(`http://127.0.0.1:${port}/hook`, ['webhook.test']);
    first.child.kill();
    await first.ended;
    const receiver = start('verify_webhook', {
      PORT: port,
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

  it('reads the changes with an API key, uploads a file, and renews its token', async () => {
    const { secret } = await admin.call('POST /api/v1/api-keys', { body: { name: 'python', roles: ['TENANT_ADMIN'] } });
    expect(await run('api_key', { API_KEY: secret! })).toMatch(/event\.recorded\n[^]*up to \S+\n$/);
    const { email, password } = world.tenant('rice').admin;
    const program = `
import os
from traceability_client import Client
from traceability_client.client import File
client = Client.login(os.environ["SERVICE_URL"], os.environ["EMAIL"], os.environ["PASSWORD"])
client._tokens = {**client._tokens, "accessToken": "no longer accepted"}
stored = client.api.upload_document({"type": "certificate", "file": File("süß.txt", "Öl".encode(), "text/plain")})
print(client.api.download_document(stored["id"]).decode(), client._tokens["accessToken"] != "no longer accepted")
`;
    expect(await run(['-c', program], { EMAIL: email, PASSWORD: password })).toBe('Öl True\n');
  });
});
