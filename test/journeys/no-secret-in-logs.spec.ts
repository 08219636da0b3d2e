import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Wallet } from 'ethers';
import { SiweMessage } from 'siwe';
import { type ApiProblem, TraceabilityClient } from '#client';
import { createLogger } from '#http';
import { UnitOfWork } from '#persistence';
import { eventually } from '../harness/eventually.js';
import { SmtpSink } from '../harness/smtp-sink.js';
import { SpanCollector } from '../harness/span-collector.js';
import { signedMessage } from '../harness/confirm-wallet.js';
import { givePassword } from '../harness/give-password.js';
import { World } from '../harness/world.js';

const SIWE_DOMAIN = 'portal.example';
const MAIL_PASSWORD = 'mail-server-password';
const COLLECTOR_KEY = 'key-of-the-collector';
const ENCRYPTION_KEY = randomBytes(32).toString('base64');
const SIGNING_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

/** Everything that a production service says, in its log and its traces, while people and machines use every secret there is: at the lowest level, on every channel. */
describe('the logs and traces of a whole run', () => {
  let world: World;
  let mail: SmtpSink;
  let collector: SpanCollector;
  let admin: TraceabilityClient;
  let written = '';
  /** What must not be there, by what it is. */
  const secrets = new Map<string, string>();
  const keep = (what: string, secret: string): string => {
    secrets.set(`${what} ${secrets.size}`, secret);
    return secret;
  };

  beforeAll(async () => {
    const take = (chunk: unknown): boolean => ((written += String(chunk)), true);
    for (const stream of [process.stdout, process.stderr]) jest.spyOn(stream, 'write').mockImplementation(take);
    for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const)
      jest.spyOn(console, method).mockImplementation((...parts: unknown[]) => void take(parts.map(String).join(' ')));
    mail = await SmtpSink.start();
    collector = await SpanCollector.start();
    mail.script = { auth: 'PLAIN' };
    const sink = new Writable({ write: (chunk: Buffer, _encoding, done) => (take(chunk), done()) });
    world = await World.start(
      {
        NODE_ENV: 'production',
        ALLOW_EMBEDDED: 'true',
        ENCRYPTION_KEY,
        JWT_SIGNING_KEYS: SIGNING_KEY,
        SIWE_DOMAINS: SIWE_DOMAIN,
        WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
        SMTP_URL: `smtp://trace:${MAIL_PASSWORD}@localhost:${mail.port}`,
        MAIL_FROM: 'trace@example.org',
        DATABASE_TIMEOUT_MS: '4000',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_HEADERS: `authorization=${COLLECTOR_KEY}`,
      },
      createLogger({ level: 'trace' }, sink),
    );
    admin = await world.admin('wool');
    keep('mail password', MAIL_PASSWORD);
    keep('collector key', COLLECTOR_KEY);
    keep('encryption key', ENCRYPTION_KEY);
    keep('signing key', SIGNING_KEY.split('\n')[1]!);
    for (const { password, privateKey } of world.demo.tenants.flatMap((tenant) => [tenant.admin, ...Object.values(tenant.actors)])) {
      keep('demo password', password);
      keep('demo key', privateKey.slice(2));
    }
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await world?.close();
    await mail?.close();
    await collector?.close();
  });

  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: any }> => {
    const text = typeof body === 'string' ? body : body === undefined ? null : JSON.stringify(body);
    const answer = await fetch(world.baseUrl + path, {
      method,
      headers: { ...(text !== null && { 'content-type': 'application/json' }), ...headers },
      body: text,
    });
    return { status: answer.status, body: await answer.json().catch(() => null) };
  };
  const auth = (action: string, body: unknown, headers = {}): Promise<{ status: number; body: any }> =>
    call('POST', `/api/v2/auth/${action}`, body, headers);
  const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` });
  /** Token and signature alone: a log may cut. */
  const keepTokens = ({ accessToken, refreshToken }: { accessToken: string; refreshToken: string }): void => {
    for (const part of accessToken.split('.')) keep('part of an access token', part);
    keep('refresh token', refreshToken);
  };

  it('hold no password, token or link of people who come, go, forget and are refused', async () => {
    const password = keep('password', 'the first password of hers');
    const email = 'her@wool.example';
    await admin.post('/api/v2/members', { email, roles: ['OPERATOR'] });
    const invited = await eventually('the invitation', () => mail.mails.find(({ to }) => to === email));
    const token = keep('invitation', /\n([\w-]{43})\n/.exec(invited.text)![1]!);
    expect((await auth('invitations/accept', { token, password })).status).toBe(204);
    const login = (await auth('login', { email, password })).body;
    keepTokens(login);
    expect((await call('GET', '/api/v2/auth/me', undefined, bearer(login.accessToken))).status).toBe(200);
    const refreshed = (await auth('refresh', { refreshToken: login.refreshToken })).body;
    keepTokens(refreshed);
    const wrong = keep('wrong password', 'not a password of hers');
    expect((await auth('login', { email, password: wrong })).status).toBe(401);
    expect((await auth('login', `{"email":"${email}","password":"${wrong}"`)).status).toBe(400);
    expect((await auth('login', { email, password: { wrong } })).status).toBe(400);
    expect((await auth('login', { email, password: wrong, [wrong]: wrong })).status).toBe(400);
    expect((await auth('login', { email: wrong, password: wrong })).status).toBe(401);
    expect((await call('GET', `/api/v2/auth/me?token=${refreshed.accessToken}`)).status).toBe(401);
    expect(
      (
        await call('GET', '/api/v2/auth/me', undefined, {
          authorization: `Basic ${keep('basic', Buffer.from(`her:${wrong}`).toString('base64'))}`,
        })
      ).status,
    ).toBe(401);
    const second = keep('password', 'the second password of hers');
    expect((await auth('password', { currentPassword: wrong, password: second }, bearer(refreshed.accessToken))).status).toBe(401);
    expect((await auth('password', { currentPassword: password, password: second }, bearer(refreshed.accessToken))).status).toBe(204);

    expect((await auth('password/forgot', { email })).status).toBe(202);
    const link = await eventually('the mail', () => mail.mails.find(({ to, text }) => to === email && text.includes('asked to reset')));
    const reset = keep('one-time link', /\n([\w-]{43})\n/.exec(link.text)![1]!);
    const third = keep('password', 'the third password of hers');
    // While the database does not answer, the error contains the parameters of the statement.
    await world.service.app.get(UnitOfWork).asSystem(async (tx) => {
      await tx.sql('lock table identity.password_reset, identity.app_user in access exclusive mode');
      const away = await Promise.all([
        auth('password/reset', { token: reset, password: third }),
        auth('login', { email, password: second }),
      ]);
      expect(away.map(({ status }) => status)).toEqual([503, 503]);
    });
    expect((await auth('password/reset', { token: reset, password: third })).status).toBe(204);
    const [row] = await world.service.app
      .get(UnitOfWork)
      .asSystem((tx) => tx.sql<{ hash: string }>('select password_hash as hash from identity.app_user where email = $1', [email]));
    keep('hash', row!.hash);
    const last = (await auth('login', { email, password: third })).body;
    keepTokens(last);
    expect((await auth('logout', {}, bearer(last.accessToken))).status).toBe(204);
    expect((await auth('refresh', { refreshToken: last.refreshToken })).status).toBe(401);
  });

  it('hold no signature of a wallet that signs in', async () => {
    const wallet = Wallet.createRandom();
    keep('wallet key', wallet.privateKey.slice(2));
    const [email, password] = ['wallet@wool.example', keep('password', 'a password next to the wallet')];
    await admin.post('/api/v2/members', { email, roles: ['OPERATOR'], wallet: wallet.address });
    await givePassword(world, email, password);
    const session = (await auth('login', { email, password })).body;
    keepTokens(session);
    const proof = await signedMessage(world, wallet);
    keep('wallet signature', proof.signature.slice(2));
    expect((await auth('wallet', proof, bearer(session.accessToken))).status).toBe(204);
    const nonce = await (await fetch(`${world.baseUrl}/api/v2/auth/siwe/nonce`)).text();
    const message = new SiweMessage({
      domain: SIWE_DOMAIN,
      address: wallet.address,
      uri: `https://${SIWE_DOMAIN}`,
      version: '1',
      chainId: 31_337,
      nonce,
    }).prepareMessage();
    const signature = await wallet.signMessage(message);
    keep('wallet signature', signature.slice(2));
    expect((await auth('siwe', { message, signature: `${signature.slice(0, -2)}ff` })).status).toBe(401);
    expect((await auth('siwe', { message: `${message}!`, signature })).status).toBe(400);
    const { status, body } = await auth('siwe', { message, signature });
    expect(status).toBe(200);
    keepTokens(body);
    expect((await auth('siwe', { message, signature })).status).toBe(401);
  });

  it('hold no API key', async () => {
    const key = await admin.post<{ id: string; secret: string }>('/api/v1/api-keys', { name: 'ERP', roles: ['OPERATOR'] });
    const rotated = await admin.post<{ secret: string }>(`/api/v1/api-keys/${key.id}/rotate`, { overlapSeconds: 60 });
    for (const { secret } of [key, rotated]) {
      keep('API key', secret.split('_').at(-1)!.slice(0, 64));
      expect((await call('GET', '/api/v1/nfts', undefined, { 'x-api-key': secret })).status).toBe(200);
      expect((await call('GET', '/api/v1/nfts', undefined, { 'x-api-key': `${secret}0` })).status).toBe(401);
      expect((await call('GET', '/api/v1/nfts', undefined, bearer(secret))).status).toBe(401);
    }
  });

  it('hold no secret of a webhook, no signature, and no credential in its URL', async () => {
    const path = `/hooks/${keep('URL token', 'token-in-the-path')}`;
    world.sink.script(path, 500, 500, 200);
    const hook = await admin.webhooks.create(world.sink.url(path), ['webhook.test']);
    const rotated = await admin.post<{ secret: string }>(`/api/v1/webhooks/${hook.id}/rotate-secret`, { gracePeriodSeconds: 60 });
    for (const { secret } of [hook, rotated]) keep('webhook secret', secret.slice('whsec_'.length));
    await admin.post(`/api/v1/webhooks/${hook.id}/test`);
    await eventually('three attempts', () => world.sink.deliveries.length >= 3);
    for (const { headers } of world.sink.deliveries)
      for (const name of ['x-webhook-signature', 'x-webhook-signature-previous', 'webhook-signature'])
        keep(name, String(headers[name]).split(/[=,]/, 2)[1]!);
    const away = admin.webhooks.create(`http://127.0.0.1:1/${keep('URL token', 'token-of-a-dead-receiver')}`, ['webhook.test']);
    await expect(away).rejects.toMatchObject({ code: 'webhook_url_unreachable' } satisfies Partial<ApiProblem>);
    await expect(
      admin.webhooks.create(`http://user:${keep('URL password', 'pass-in-the-url')}@127.0.0.1/`, ['webhook.test']),
    ).rejects.toMatchObject({ status: 422 });
  });

  it('hold none of them at all, and are there', async () => {
    const ended = world;
    world = undefined!;
    await ended.close();
    const lines = [
      '/api/v2/auth/login',
      '/api/v2/auth/password/reset',
      '/api/v2/auth/siwe',
      '/api/v1/webhooks',
      '"level":"error"',
      '"level":"debug"',
      '"tenant":"',
    ];
    expect(lines.filter((line) => !written.includes(line))).toEqual([]);
    expect(collector.named('deliver webhook.test').length).toBeGreaterThan(2);
    expect(secrets.size).toBeGreaterThan(40);
    expect([...secrets].filter(([, secret]) => secret.length < 8)).toEqual([]);
    for (const text of [written, collector.text])
      expect([...secrets].filter(([, secret]) => text.includes(secret)).map(([what]) => what)).toEqual([]);
  });
});
