import { isIP } from 'node:net';
import type { Config, ContentConfig, DatabaseConfig, ReportsConfig } from './config.js';
import { limits } from './limits.js';
import { type RetentionConfig, retention } from './retention.js';
import { sponsor } from './sponsor.js';
import { type Env, Reader, type ReadFile, withSecretFiles } from './reader.js';

export class InvalidConfiguration extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`The configuration is invalid:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/**
 * Turns the environment into a configuration. Reads files only for secrets that are given as one.
 * @throws InvalidConfiguration with all errors
 */
export function configFrom(given: Env, readFile?: ReadFile): Config {
  const { env, faults } = withSecretFiles(given, readFile);
  const read = new Reader(env);
  read.faults.push(...faults);
  const config = assemble(read);
  if (read.faults.length > 0) throw new InvalidConfiguration(read.faults);
  return config;
}

const erasure = (read: Reader): Config['erasure'] => ({
  folder: read.has('ERASURE_DIR') ? read.text('ERASURE_DIR', '') : `${read.text('DATA_DIR', '.data')}/erasure`,
  backupsKeptMs: read.integer('BACKUPS_KEPT_DAYS', 35, 1, 3_650) * 86_400_000,
});

/** Reads every setting; those of an engine only when it is chosen. */
export function assemble(read: Reader): Config {
  const mode = read.oneOf('NODE_ENV', ['development', 'production', 'test'], 'development') === 'production' ? 'production' : 'development';
  const port = read.integer('PORT', 3000, 0, 65_535);
  const kept = retention(read);
  const stored = database(read);
  const config: Config = {
    mode,
    role: read.oneOf('ROLE', ['all', 'api', 'worker', 'sponsor'], 'all'),
    dataDir: read.text('DATA_DIR', '.data'),
    http: http(read, port),
    metrics: metrics(read, port),
    tracing: tracing(read),
    log: { level: read.oneOf('LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info') },
    database: stored,
    queue: read.has('REDIS_URL') ? { kind: 'redis', url: read.url('REDIS_URL', ['redis:', 'rediss:']) } : { kind: 'database' },
    chain: chain(read),
    sponsor: sponsor(read),
    content: content(read),
    secrets: secrets(read),
    tokens: tokens(read, kept),
    siwe: { domains: siweDomains(read, mode, port) },
    mail: { transport: mailTransport(read, mode), resetUrl: resetUrl(read) },
    documents: { clamdUrl: read.optionalUrl('CLAMD_URL', ['tcp:', 'unix:']) },
    events: { preparedTtlSeconds: kept.PREPARED_EVENT_SECONDS / 1_000 },
    retention: kept,
    erasure: erasure(read),
    schemas: schemas(read),
    limits: limits(read, stored.poolSize),
    reports: reports(read),
    webhooks: webhooks(read, mode),
  };
  const allowEmbedded = read.oneOf('ALLOW_EMBEDDED', ['true', 'false'], 'false') === 'true';
  // A setting of the program that seeds the demo. Read here so that an invalid value is reported at start.
  read.oneOf('DEMO', ['true', 'false'], 'true');
  if (mode === 'production') productionRefusals(config, allowEmbedded, read);
  return config;
}

const http = (read: Reader, port: number): Config['http'] => ({
  host: read.text('HOST', '127.0.0.1'),
  port,
  trustedProxies: read.integer('TRUSTED_PROXIES', 0, 0, 16),
  corsOrigins: corsOrigins(read),
  publicUrl: publicUrl(read),
});

function chain(read: Reader): Config['chain'] {
  const urls = nodeUrls(read);
  const embedded = urls.length === 0;
  return {
    node: embedded
      ? { kind: 'embedded', port: read.has('CHAIN_PORT') ? read.integer('CHAIN_PORT', 8545, 1, 65_535) : null }
      : { kind: 'rpc', urls },
    chainId: read.integer('CHAIN_ID', 31_337, 1, Number.MAX_SAFE_INTEGER),
    confirmations: read.integer('CHAIN_CONFIRMATIONS', embedded ? 1 : 12, 1, 10_000),
    finality: read.oneOf('CHAIN_FINALITY', ['depth', 'finalized'], 'depth'),
    registry: contractAddress(read, 'CHAIN_REGISTRY'),
    accountFactory: contractAddress(read, 'CHAIN_ACCOUNT_FACTORY'),
    clientRpcUrl: read.optionalUrl('CHAIN_CLIENT_RPC_URL', ['http:', 'https:']),
    explorerUrl: read.optionalUrl('CHAIN_EXPLORER_URL', ['http:', 'https:']),
    pollMs: read.integer('CHAIN_POLL_MS', embedded ? 100 : 2_000, 10, 60_000),
    timeoutMs: read.integer('CHAIN_TIMEOUT_MS', 5_000, 100, 120_000),
    reorgWindow: read.integer('CHAIN_REORG_WINDOW', 256, 8, 100_000),
    dropAfterMs: read.integer('TX_DROPPED_AFTER_SECONDS', 1_800, 1, 30 * 86_400) * 1_000,
    neverSeenPerTenant: read.integer('TX_NEVER_SEEN_PER_TENANT', 1_000, 1, 1_000_000),
  };
}

const secrets = (read: Reader): Config['secrets'] => ({
  encryptionKey: read.key('ENCRYPTION_KEY'),
  retiredEncryptionKeys: read.keys('RETIRED_ENCRYPTION_KEYS'),
  signingKeys: read.has('JWT_SIGNING_KEYS') ? read.pems('JWT_SIGNING_KEYS') : null,
});

const tokens = (read: Reader, kept: RetentionConfig): Config['tokens'] => ({
  accessSeconds: read.integer('ACCESS_TOKEN_SECONDS', 3_600, 5, 86_400),
  refreshIdleSeconds: read.integer('REFRESH_IDLE_SECONDS', 30 * 86_400, 60, 365 * 86_400),
  refreshMaxSeconds: kept.REFRESH_MAX_SECONDS / 1_000,
  issuer: read.text('TOKEN_ISSUER', 'traceability-service'),
});

const schemas = (read: Reader): Config['schemas'] => ({
  threads: read.integer('SCHEMA_THREADS', 0, 0, 64),
  checkMs: read.integer('SCHEMA_CHECK_MS', 5_000, 100, 60_000),
  validationMs: read.integer('SCHEMA_VALIDATION_MS', 1_000, 50, 60_000),
});

const webhooks = (read: Reader, mode: Config['mode']): Config['webhooks'] => ({
  allowedNetworks: allowedNetworks(read, mode),
  timeoutMs: read.integer('WEBHOOK_TIMEOUT_MS', 10_000, 50, 60_000),
  retryDelaysMs: read.integers('WEBHOOK_RETRY_DELAYS_MS', [30_000, 60_000, 120_000], 3),
  jitter: 0.1,
  responseBytes: read.integer('WEBHOOK_RESPONSE_BYTES', 8_192, 0, 1_048_576),
  concurrency: read.integer('WEBHOOK_CONCURRENCY', 128, 1, 1_000),
  perSubscription: read.integer('WEBHOOK_PER_SUBSCRIPTION', 4, 1, 1_000),
  pauseAfterMs: read.integer('WEBHOOK_PAUSE_AFTER_SECONDS', 5 * 86_400, 1, 365 * 86_400) * 1_000,
  pollMs: read.integer('WEBHOOK_SWEEP_MS', 1_000, 10, 60_000),
  subscriptionsPerTenant: read.integer('WEBHOOK_SUBSCRIPTIONS', 100, 1, 100_000),
});

/** An error names the position of the address, not the address itself, which may contain an API key. */
function nodeUrls(read: Reader): readonly string[] {
  const urls = read.list('CHAIN_RPC_URLS');
  const wrong = urls.flatMap((url, i) => (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? [] : [i + 1]));
  if (wrong.length > 0) read.faults.push(`CHAIN_RPC_URLS takes URLs such as https://node.example; invalid: number ${wrong.join(', ')}`);
  return urls;
}

function contractAddress(read: Reader, name: string): string | null {
  const address = read.optional(name);
  if (address !== null && !/^0x[0-9a-fA-F]{40}$/.test(address))
    read.faults.push(`${name} is "${address}"; it takes the address of a contract: 0x and 40 hexadecimal digits`);
  return address;
}

/** Default in development: this machine. Default in production: none. */
function allowedNetworks(read: Reader, mode: Config['mode']): readonly string[] {
  if (!read.given('WEBHOOK_ALLOWED_NETWORKS') && mode === 'development') return ['127.0.0.0/8', '::1/128'];
  const networks = read.list('WEBHOOK_ALLOWED_NETWORKS');
  const wrong = networks.filter((network) => {
    const [, address = '', bits = ''] = /^(.+)\/(\d{1,3})$/.exec(network) ?? [];
    return isIP(address) === 0 || Number(bits) > (isIP(address) === 4 ? 32 : 128);
  });
  if (wrong.length > 0) read.faults.push(`WEBHOOK_ALLOWED_NETWORKS takes CIDR ranges such as 10.1.0.0/16; it has ${wrong.join(', ')}`);
  return networks;
}

/** A separate port, because metrics are only for the operator's network. 0 uses a free one. */
function metrics(read: Reader, port: number): Config['metrics'] {
  if (!read.has('METRICS_PORT')) return null;
  const own = read.integer('METRICS_PORT', 0, 0, 65_535);
  if (own !== 0 && own === port) read.faults.push(`METRICS_PORT is ${own}, the same as PORT; it needs another port`);
  return { host: read.text('METRICS_HOST', '127.0.0.1'), port: own };
}

/** The standard setting names of OpenTelemetry. */
function tracing(read: Reader): Config['tracing'] {
  if (!read.has('OTEL_EXPORTER_OTLP_ENDPOINT')) return null;
  const sampler = read.oneOf('OTEL_TRACES_SAMPLER', ['parentbased_traceidratio', 'traceidratio'], 'parentbased_traceidratio');
  return {
    endpoint: read.url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:']),
    headers: read.pairs('OTEL_EXPORTER_OTLP_HEADERS'),
    serviceName: read.text('OTEL_SERVICE_NAME', 'traceability'),
    ratio: read.fraction('OTEL_TRACES_SAMPLER_ARG', 1),
    believesCallers: sampler === 'parentbased_traceidratio',
  };
}

/** Origins in the format of browsers: scheme, host, and the port if it is not the default one. */
function corsOrigins(read: Reader): readonly string[] {
  const origins = read.list('CORS_ORIGINS');
  const wrong = origins.filter((origin) => origin !== '*' && (!URL.canParse(origin) || new URL(origin).origin !== origin));
  if (wrong.length > 0) read.faults.push(`CORS_ORIGINS takes origins such as https://portal.example, or *; it has ${wrong.join(', ')}`);
  return origins;
}

function publicUrl(read: Reader): string | null {
  const url = read.optionalUrl('PUBLIC_URL', ['http:', 'https:']);
  if (url === null || !URL.canParse(url)) return null;
  const { origin, href } = new URL(url);
  if (href !== `${origin}/`) read.faults.push(`PUBLIC_URL is an origin such as https://trace.example, without a path; it is ${url}`);
  return origin;
}

/** In production the domains must be set; without any, every sign-in message is refused. */
function siweDomains(read: Reader, mode: Config['mode'], port: number): readonly string[] {
  if (!read.has('SIWE_DOMAINS')) return mode === 'development' ? [`localhost:${port}`, `127.0.0.1:${port}`] : [];
  const domains = read.list('SIWE_DOMAINS');
  const wrong = domains.filter((domain) => !URL.canParse(`http://${domain}`) || new URL(`http://${domain}`).host !== domain);
  if (wrong.length > 0) read.faults.push(`SIWE_DOMAINS takes hosts with their port, in lower case; it has ${wrong.join(', ')}`);
  return domains;
}

function mailTransport(read: Reader, mode: Config['mode']): Config['mail']['transport'] {
  if (!read.has('SMTP_URL')) return { kind: mode === 'development' ? 'console' : 'none' };
  const from = read.text('MAIL_FROM', '');
  if (!/^[^\s@<>]+@[^\s@<>]+$/.test(from)) read.faults.push('MAIL_FROM must be the bare sender address of the mails sent by SMTP_URL');
  return { kind: 'smtp', url: read.url('SMTP_URL', ['smtp:', 'smtps:']), from };
}

function resetUrl(read: Reader): string | null {
  if (!read.has('PASSWORD_RESET_URL')) return null;
  const url = read.url('PASSWORD_RESET_URL', ['http:', 'https:']);
  if (!url.includes('{token}')) read.faults.push('PASSWORD_RESET_URL must contain {token} in the place of the token');
  return url;
}

function database(read: Reader): DatabaseConfig {
  const poolSize = read.integer('DATABASE_POOL', 10, 2, 500);
  const timeoutMs = read.integer('DATABASE_TIMEOUT_MS', 10_000, 100, 600_000);
  if (!read.has('DATABASE_URL')) return { kind: 'embedded', poolSize, timeoutMs };
  const postgres = (name: string): string => read.url(name, ['postgres:', 'postgresql:']);
  const or = (name: string, fallback: string): string => (read.has(name) ? postgres(name) : fallback);
  const url = postgres('DATABASE_URL');
  const pooler = read.oneOf('DATABASE_POOLER', ['none', 'transaction'], 'none');
  if (pooler === 'transaction' && !read.has('DATABASE_DIRECT_URL'))
    read.faults.push('DATABASE_POOLER=transaction needs DATABASE_DIRECT_URL, for LISTEN, migrations and locks');
  const directUrl = or('DATABASE_DIRECT_URL', url);
  return { kind: 'url', url, pooler, directUrl, migrationUrl: or('DATABASE_MIGRATION_URL', directUrl), poolSize, timeoutMs };
}

function reports(read: Reader): ReportsConfig {
  return {
    // A precomputed report may be older than this: a request for it computes it again.
    readyEveryMs: read.integer('REPORTS_READY_EVERY_MS', 600_000, 0, 86_400_000),
    followEveryMs: read.integer('REPORTS_FOLLOW_EVERY_MS', 2_000, 0, 86_400_000),
    alertsEveryMs: read.integer('ALERTS_EVERY_MS', 10_000, 0, 86_400_000),
    noticesEveryMs: read.integer('NOTICES_EVERY_MS', 10_000, 0, 86_400_000),
    noticeMailsEveryMs: read.integer('NOTICE_MAILS_EVERY_MS', 900_000, 0, 86_400_000),
    pointers: {
      everyMs: read.integer('POINTERS_EVERY_MS', 1_000, 0, 86_400_000),
      batch: read.integer('POINTERS_BATCH', 50, 1, 1_000),
      lapMs: read.integer('POINTERS_LAP_SECONDS', 86_400, 1, 366 * 86_400) * 1_000,
    },
    narrator: read.has('INSIGHTS_MODEL_URL')
      ? {
          url: read.url('INSIGHTS_MODEL_URL', ['http:', 'https:']),
          model: read.text('INSIGHTS_MODEL', 'default'),
          key: read.optional('INSIGHTS_MODEL_KEY'),
          timeoutMs: read.integer('INSIGHTS_MODEL_TIMEOUT_MS', 20_000, 100, 120_000),
        }
      : null,
  };
}

function content(read: Reader): ContentConfig {
  if (read.has('KUBO_RPC_URL'))
    return {
      kind: 'kubo',
      url: read.url('KUBO_RPC_URL', ['http:', 'https:']),
      authorization: read.optional('KUBO_AUTHORIZATION'),
      timeoutMs: read.integer('KUBO_TIMEOUT_MS', 5_000, 100, 60_000),
    };
  return { kind: read.oneOf('CONTENT_STORE', ['files', 'database'], 'files') };
}

/** docs/spec/reliability.md#identity-and-access */
function productionRefusals(config: Config, allowEmbedded: boolean, read: Reader): void {
  const embedded = (engine: string, variable: string): void => {
    if (!allowEmbedded)
      read.faults.push(`${variable} is not set: the embedded ${engine} is not allowed in production unless ALLOW_EMBEDDED=true`);
  };
  if (config.database.kind === 'embedded') embedded('PostgreSQL', 'DATABASE_URL');
  if (config.chain.node.kind === 'embedded') embedded('EVM node', 'CHAIN_RPC_URLS');
  if (config.content.kind === 'files') embedded('content store', 'KUBO_RPC_URL');
  if (!config.secrets.encryptionKey) read.faults.push('ENCRYPTION_KEY is not set: production needs one (32 bytes, base64)');
  else if (isPredictable(config.secrets.encryptionKey))
    read.faults.push('ENCRYPTION_KEY is not random. Make one with `openssl rand -base64 32`');
  if (!config.secrets.signingKeys) read.faults.push('JWT_SIGNING_KEYS is not set: production needs ES256 keys (PEM)');
}

/** 32 random bytes have at least 16 different ones, all but once in 10¹⁵ keys; zeros, a repeated word or a counted row do not look like that. */
function isPredictable(key: Buffer): boolean {
  const differences = new Set(key.subarray(1).map((byte, i) => (byte - key[i]! + 256) % 256));
  return new Set(key).size < 16 || differences.size < 8 || /^[\x20-\x7e]+$/.test(key.toString('latin1'));
}
