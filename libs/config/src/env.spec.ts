import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { InvalidConfiguration, configFrom } from './env.js';
import { misspeltSettings } from './misspelt.js';

const faultsOf = (env: Record<string, string>, readFile?: (path: string) => string): readonly string[] => {
  try {
    configFrom(env, readFile);
    return [];
  } catch (error) {
    return (error as InvalidConfiguration).faults;
  }
};

const privateKey = (curve: string): string =>
  generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

describe('configuration', () => {
  it('names variables that are nearly settings, and no others', () => {
    const settings = { AUDIT_KEPT_DAYS: '800', ENCRYPTION_KEY_FILE: 'key', NODE_OPTIONS: '', HOSTNAME: 'a', npm_config_cache: '' };
    expect(misspeltSettings(settings)).toEqual([]);
    expect(misspeltSettings({ ...settings, AUDITS_KEPT_DAYS: '3', CHAIN_RPC_URL: 'http://node' })).toEqual([
      'AUDITS_KEPT_DAYS is no setting and has no effect: did you mean AUDIT_KEPT_DAYS?',
      'CHAIN_RPC_URL is no setting and has no effect: did you mean CHAIN_RPC_URLS?',
    ]);
  });

  it('needs nothing: all engines are the embedded ones', () => {
    const config = configFrom({});
    expect(config).toMatchObject({
      mode: 'development',
      role: 'all',
      database: { kind: 'embedded' },
      queue: { kind: 'database' },
      chain: { node: { kind: 'embedded' }, chainId: 31_337, confirmations: 1 },
      content: { kind: 'files' },
      reports: {
        alertsEveryMs: 10_000,
        noticesEveryMs: 10_000,
        noticeMailsEveryMs: 900_000,
        pointers: { everyMs: 1_000, batch: 50, lapMs: 86_400_000 },
        narrator: null,
      },
      webhooks: { allowedNetworks: ['127.0.0.0/8', '::1/128'], retryDelaysMs: [30_000, 60_000, 120_000] },
    });
  });

  it('chooses each engine by the presence of its URL', () => {
    const config = configFrom({
      DATABASE_URL: 'postgres://u@db/trace',
      REDIS_URL: 'redis://cache',
      CHAIN_RPC_URLS: 'http://a:8545, http://b:8545',
      KUBO_RPC_URL: 'http://ipfs:5001',
    });
    expect(config.database).toMatchObject({ kind: 'url', url: 'postgres://u@db/trace', migrationUrl: 'postgres://u@db/trace' });
    expect(config.queue).toEqual({ kind: 'redis', url: 'redis://cache' });
    expect(config.chain).toMatchObject({ node: { kind: 'rpc', urls: ['http://a:8545', 'http://b:8545'] }, confirmations: 12 });
    expect(config.content).toMatchObject({ kind: 'kubo', timeoutMs: 5_000 });
  });

  it('goes around a pooler for what a connection keeps, and refuses one without an address to do so', () => {
    const [url, direct] = ['postgres://u@pooler/trace', 'postgres://u@db/trace'];
    expect(configFrom({ DATABASE_URL: url }).database).toMatchObject({ url, pooler: 'none', directUrl: url });
    const behind = { DATABASE_URL: url, DATABASE_POOLER: 'transaction' };
    expect(faultsOf(behind)).toEqual([expect.stringMatching(/^DATABASE_POOLER=transaction needs DATABASE_DIRECT_URL/)]);
    expect(configFrom({ ...behind, DATABASE_DIRECT_URL: direct }).database).toMatchObject({
      ...{ url, pooler: 'transaction', directUrl: direct, migrationUrl: direct },
    });
  });

  it('reports a setting once that several parts read', () => {
    expect(faultsOf({ DATABASE_POOL: '1' })).toEqual(['DATABASE_POOL is "1"; it takes a whole number from 2 to 500']);
  });

  it('takes sign-in messages for its own address, and in production only for the configured domains', () => {
    expect(configFrom({ PORT: '4000' }).siwe.domains).toEqual(['localhost:4000', '127.0.0.1:4000']);
    expect(configFrom({ SIWE_DOMAINS: 'trace.example, app.trace.example:8443' }).siwe.domains).toEqual([
      'trace.example',
      'app.trace.example:8443',
    ]);
    for (const wrong of ['https://trace.example', 'trace.example/', 'Trace.example', 'u@trace.example', '*.trace example'])
      expect(faultsOf({ SIWE_DOMAINS: wrong })).toEqual([expect.stringMatching(/^SIWE_DOMAINS/)]);
  });

  it('names what would fail only later: an address of a node, a registry, a network, the address for clients', () => {
    const secret = 'node.example/v3/secret';
    expect(faultsOf({ CHAIN_RPC_URLS: `https://${secret}, ${secret}, wss://${secret}` })).toEqual([
      'CHAIN_RPC_URLS takes URLs such as https://node.example; invalid: number 2, 3',
    ]);
    for (const wrong of ['0x12', 'registry', `0x${'g'.repeat(40)}`, '0'.repeat(42)])
      expect(faultsOf({ CHAIN_REGISTRY: wrong })).toEqual([expect.stringMatching(/^CHAIN_REGISTRY/)]);
    expect(configFrom({ CHAIN_REGISTRY: `0x${'aB'.repeat(20)}` }).chain.registry).toBe(`0x${'aB'.repeat(20)}`);
    for (const wrong of ['foo', '10.0.0.0', '10.0.0.0/33', '10.0.0/8', '::1/129', 'db/8'])
      expect(faultsOf({ WEBHOOK_ALLOWED_NETWORKS: `10.1.0.0/16,${wrong}` })).toEqual([
        `WEBHOOK_ALLOWED_NETWORKS takes CIDR ranges such as 10.1.0.0/16; it has ${wrong}`,
      ]);
    expect(configFrom({ WEBHOOK_ALLOWED_NETWORKS: 'fd00::/8, 0.0.0.0/0' }).webhooks.allowedNetworks).toEqual(['fd00::/8', '0.0.0.0/0']);
    expect(faultsOf({ CHAIN_CLIENT_RPC_URL: 'node:8545', CHAIN_EXPLORER_URL: 'javascript:alert(1)' })).toEqual([
      'CHAIN_CLIENT_RPC_URL must be a URL that starts with http:// or https://',
      'CHAIN_EXPLORER_URL must be a URL that starts with http:// or https://',
    ]);
    expect(configFrom({}).chain).toMatchObject({ registry: null, clientRpcUrl: null, explorerUrl: null });
  });

  it('prints mail in development only, and wants the token in the page of a one-time link', () => {
    expect(configFrom({}).mail).toEqual({ transport: { kind: 'console' }, resetUrl: null });
    expect(configFrom({ PASSWORD_RESET_URL: 'https://portal.example/reset#{token}' }).mail.resetUrl).toBe(
      'https://portal.example/reset#{token}',
    );
    expect(faultsOf({ PASSWORD_RESET_URL: 'https://portal.example/reset' })).toEqual([expect.stringMatching(/^PASSWORD_RESET_URL/)]);
    const smtp = { SMTP_URL: 'smtps://user:secret@mail.example', MAIL_FROM: 'trace@example.org' };
    expect(configFrom(smtp).mail.transport).toEqual({ kind: 'smtp', url: smtp.SMTP_URL, from: smtp.MAIL_FROM });
    expect(faultsOf({ ...smtp, MAIL_FROM: 'Trace <trace@example.org>' })).toEqual([expect.stringMatching(/^MAIL_FROM/)]);
    expect(faultsOf({ ...smtp, SMTP_URL: 'http://mail.example' })).toEqual([expect.stringMatching(/^SMTP_URL/)]);
  });

  it('sends traces only to a collector that is named', () => {
    expect(configFrom({ OTEL_SERVICE_NAME: 'trace', OTEL_TRACES_SAMPLER_ARG: '0.5' }).tracing).toBeNull();
    const endpoint = 'http://collector:4318';
    expect(configFrom({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }).tracing).toEqual({
      endpoint,
      headers: {},
      serviceName: 'traceability',
      ratio: 1,
      believesCallers: true,
    });
    const headers = 'authorization=Bearer%20a%3Db, x-team = ops ,';
    expect(
      configFrom({
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        OTEL_EXPORTER_OTLP_HEADERS: headers,
        OTEL_TRACES_SAMPLER_ARG: '0.01',
        OTEL_TRACES_SAMPLER: 'traceidratio',
      }).tracing,
    ).toMatchObject({ headers: { authorization: 'Bearer a=b', 'x-team': 'ops' }, ratio: 0.01, believesCallers: false });
  });

  it('tells the faults of tracing without its secret', () => {
    const wrong = { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector', OTEL_EXPORTER_OTLP_HEADERS: 'hunter2', OTEL_TRACES_SAMPLER_ARG: '1.5' };
    const message = (): string => {
      try {
        configFrom(wrong);
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    for (const name of Object.keys(wrong)) expect(message()).toContain(name);
    expect(message()).not.toContain('hunter2');
  });

  it('shows metrics only on a port of their own', () => {
    expect(configFrom({}).metrics).toBeNull();
    expect(configFrom({ METRICS_PORT: '9464' }).metrics).toEqual({ host: '127.0.0.1', port: 9464 });
    expect(configFrom({ METRICS_PORT: '0', PORT: '0', METRICS_HOST: '::' }).metrics).toEqual({ host: '::', port: 0 });
    expect(faultsOf({ METRICS_PORT: '3000' })).toEqual(['METRICS_PORT is 3000, the same as PORT; it needs another port']);
    expect(faultsOf({ METRICS_PORT: 'yes' })).toEqual([expect.stringMatching(/^METRICS_PORT/)]);
  });

  it('takes an origin as its public address, and nothing else', () => {
    expect([configFrom({}).http.publicUrl, configFrom({ PUBLIC_URL: 'https://Trace.example:443/' }).http.publicUrl]).toEqual([
      null,
      'https://trace.example',
    ]);
    for (const wrong of ['https://trace.example/app', 'https://trace.example/?a', 'trace.example', 'ftp://trace.example'])
      expect(faultsOf({ PUBLIC_URL: wrong })).toEqual([expect.stringMatching(/^PUBLIC_URL/)]);
  });

  it('names all faults at once', () => {
    const faults = faultsOf({ PORT: '99999', ROLE: 'king', DATABASE_URL: 'mysql://x', ENCRYPTION_KEY: 'short' });
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual(expect.arrayContaining(['PORT', 'ROLE', 'DATABASE_URL', 'ENCRYPTION_KEY']));
    expect(faults).toHaveLength(4);
  });

  it('names a key that signs no token of ours, by its place and not by its text', () => {
    const broken = '-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----\n';
    expect(faultsOf({ JWT_SIGNING_KEYS: privateKey('P-256') + privateKey('P-384') + broken })).toEqual([
      'JWT_SIGNING_KEYS takes EC keys on P-256; key 2 is not one',
      'JWT_SIGNING_KEYS takes EC keys on P-256; key 3 is not one',
    ]);
  });

  it('allows three retries of a delivery at most, whatever their waits', () => {
    expect(configFrom({ WEBHOOK_RETRY_DELAYS_MS: '1,2,3' }).webhooks.retryDelaysMs).toEqual([1, 2, 3]);
    expect(faultsOf({ WEBHOOK_RETRY_DELAYS_MS: '1,2,3,4' })).toEqual(['WEBHOOK_RETRY_DELAYS_MS takes 3 numbers at most']);
  });

  it('takes secrets from files, and tells every fault of them', () => {
    const files: Record<string, string> = { '/run/secrets/db': 'postgres://u:p@db/trace\n', '/run/secrets/empty': '\n' };
    const read = (path: string): string => {
      if (!(path in files)) throw new Error('ENOENT');
      return files[path]!;
    };
    expect(configFrom({ DATABASE_URL_FILE: '/run/secrets/db' }, read).database).toMatchObject({
      kind: 'url',
      url: 'postgres://u:p@db/trace',
    });
    // What is no secret is no file.
    expect(configFrom({ PORT_FILE: '/run/secrets/db' }, read).http.port).toBe(3000);
    const wrong = {
      DATABASE_URL: 'postgres://x',
      DATABASE_URL_FILE: '/run/secrets/db',
      ENCRYPTION_KEY_FILE: '/nowhere',
      SMTP_URL_FILE: '/run/secrets/empty',
    };
    expect(faultsOf(wrong, read)).toEqual([
      'DATABASE_URL and DATABASE_URL_FILE are both set; set only one of them',
      'ENCRYPTION_KEY_FILE is /nowhere, which cannot be read',
      'SMTP_URL_FILE is the path of an empty file',
    ]);
  });

  it('refuses production on engines and secrets that nobody chose', () => {
    const faults = faultsOf({ NODE_ENV: 'production' });
    for (const variable of ['DATABASE_URL', 'CHAIN_RPC_URLS', 'KUBO_RPC_URL', 'ENCRYPTION_KEY', 'JWT_SIGNING_KEYS'])
      expect(faults.join('\n')).toContain(variable);
    expect(faultsOf({ NODE_ENV: 'production', ALLOW_EMBEDDED: 'true' }).join('\n')).not.toContain('DATABASE_URL');
  });

  it.each([
    ['zeros', Buffer.alloc(32)],
    ['one byte', Buffer.alloc(32, 7)],
    ['a repeated word', Buffer.from('deadbeef'.repeat(8), 'hex')],
    ['a counted row', Buffer.from(Array.from({ length: 32 }, (_, i) => i))],
    ['a sentence', Buffer.from('this is a secret key of 32 chars')],
  ])('refuses an encryption key of %s in production', (_, key) => {
    const secrets = { ALLOW_EMBEDDED: 'true', ENCRYPTION_KEY: key.toString('base64'), JWT_SIGNING_KEYS: privateKey('P-256') };
    expect(faultsOf({ NODE_ENV: 'production', ...secrets })).toEqual([expect.stringMatching(/^ENCRYPTION_KEY is not random/)]);
    expect(configFrom(secrets).secrets.encryptionKey).toEqual(key);
  });

  it('takes every random encryption key', () => {
    for (let i = 0; i < 2_000; i++) {
      const secrets = { ALLOW_EMBEDDED: 'true', ENCRYPTION_KEY: randomBytes(32).toString('base64'), JWT_SIGNING_KEYS: 'x' };
      expect(faultsOf({ NODE_ENV: 'production', ...secrets }).filter((fault) => fault.startsWith('ENCRYPTION_KEY'))).toEqual([]);
    }
  });

  it('allows no private network to webhooks in production unless it is named', () => {
    const chosen = {
      NODE_ENV: 'production',
      ALLOW_EMBEDDED: 'true',
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      JWT_SIGNING_KEYS: privateKey('P-256'),
    };
    expect(configFrom(chosen).webhooks.allowedNetworks).toEqual([]);
    expect(configFrom({ ...chosen, WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8' }).webhooks.allowedNetworks).toEqual(['10.0.0.0/8']);
  });
});
