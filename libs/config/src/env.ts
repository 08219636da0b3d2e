import { isIP } from 'node:net';
import { type Config, type ContentConfig, type DatabaseConfig, type LimitsConfig, type ReportsConfig } from './config.js';
import { type Env, Reader } from './reader.js';
import { type ReadFile, withSecretFiles } from './secret-files.js';

export class InvalidConfiguration extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`The configuration is not usable:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/**
 * The environment in, a configuration out; files are read only where a secret is given as one.
 * @throws InvalidConfiguration naming every fault at once
 */
export function configFrom(given: Env, readFile?: ReadFile): Config {
  const { env, faults } = withSecretFiles(given, readFile);
  const read = new Reader(env);
  read.faults.push(...faults);
  const config = assemble(read);
  if (read.faults.length > 0) throw new InvalidConfiguration(read.faults);
  return config;
}

/** Every setting, in one place; those of an engine only where it is chosen. */
export function assemble(read: Reader): Config {
  const mode = read.oneOf('NODE_ENV', ['development', 'production', 'test'], 'development') === 'production' ? 'production' : 'development';
  const port = read.integer('PORT', 3000, 0, 65_535);
  const chainUrls = nodeUrls(read);
  const embeddedChain = chainUrls.length === 0;
  const config: Config = {
    mode,
    role: read.oneOf('ROLE', ['all', 'api', 'worker'], 'all'),
    dataDir: read.text('DATA_DIR', '.data'),
    http: {
      host: read.text('HOST', '127.0.0.1'),
      port,
      trustedProxies: read.integer('TRUSTED_PROXIES', 0, 0, 16),
      corsOrigins: corsOrigins(read),
    },
    metrics: metrics(read, port),
    tracing: tracing(read),
    log: { level: read.oneOf('LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info') },
    database: database(read),
    queue: read.has('REDIS_URL') ? { kind: 'redis', url: read.url('REDIS_URL', ['redis:', 'rediss:']) } : { kind: 'database' },
    chain: {
      node: embeddedChain
        ? { kind: 'embedded', port: read.has('CHAIN_PORT') ? read.integer('CHAIN_PORT', 8545, 1, 65_535) : null }
        : { kind: 'rpc', urls: chainUrls },
      chainId: read.integer('CHAIN_ID', 31_337, 1, Number.MAX_SAFE_INTEGER),
      confirmations: read.integer('CHAIN_CONFIRMATIONS', embeddedChain ? 1 : 12, 1, 10_000),
      finality: read.oneOf('CHAIN_FINALITY', ['depth', 'finalized'], 'depth'),
      registry: registry(read),
      clientRpcUrl: read.optionalUrl('CHAIN_CLIENT_RPC_URL', ['http:', 'https:']),
      explorerUrl: read.optionalUrl('CHAIN_EXPLORER_URL', ['http:', 'https:']),
      pollMs: read.integer('CHAIN_POLL_MS', embeddedChain ? 100 : 2_000, 10, 60_000),
      timeoutMs: read.integer('CHAIN_TIMEOUT_MS', 5_000, 100, 120_000),
      reorgWindow: read.integer('CHAIN_REORG_WINDOW', 256, 8, 100_000),
      dropAfterMs: read.integer('TX_DROPPED_AFTER_SECONDS', 1_800, 1, 30 * 86_400) * 1_000,
    },
    content: content(read),
    secrets: {
      encryptionKey: read.key('ENCRYPTION_KEY'),
      signingKeys: read.has('JWT_SIGNING_KEYS') ? read.pems('JWT_SIGNING_KEYS') : null,
    },
    tokens: {
      accessSeconds: read.integer('ACCESS_TOKEN_SECONDS', 3_600, 5, 86_400),
      refreshIdleSeconds: read.integer('REFRESH_IDLE_SECONDS', 30 * 86_400, 60, 365 * 86_400),
      refreshMaxSeconds: read.integer('REFRESH_MAX_SECONDS', 90 * 86_400, 60, 730 * 86_400),
      issuer: read.text('TOKEN_ISSUER', 'traceability-service'),
    },
    siwe: { domains: siweDomains(read, mode, port) },
    mail: { transport: mailTransport(read, mode), resetUrl: resetUrl(read) },
    events: {
      preparedTtlSeconds: read.integer('PREPARED_EVENT_SECONDS', 7 * 86_400, 60, 365 * 86_400),
      expiredKeptSeconds: read.integer('EXPIRED_EVENT_SECONDS', 90 * 86_400, 60, 3650 * 86_400),
    },
    limits: limits(read),
    reports: reports(read),
    webhooks: {
      allowedNetworks: allowedNetworks(read, mode),
      timeoutMs: read.integer('WEBHOOK_TIMEOUT_MS', 10_000, 50, 60_000),
      retryDelaysMs: read.integers('WEBHOOK_RETRY_DELAYS_MS', [30_000, 60_000, 120_000], 3),
      jitter: 0.1,
      responseBytes: read.integer('WEBHOOK_RESPONSE_BYTES', 8_192, 0, 1_048_576),
      concurrency: read.integer('WEBHOOK_CONCURRENCY', 128, 1, 1_000),
      perSubscription: read.integer('WEBHOOK_PER_SUBSCRIPTION', 4, 1, 1_000),
      pauseAfterMs: read.integer('WEBHOOK_PAUSE_AFTER_SECONDS', 5 * 86_400, 1, 365 * 86_400) * 1_000,
      sweepMs: read.integer('WEBHOOK_SWEEP_MS', 1_000, 10, 60_000),
      retentionMs: read.integer('WEBHOOK_RETENTION_DAYS', 90, 1, 3_650) * 86_400_000,
      subscriptionsPerTenant: read.integer('WEBHOOK_SUBSCRIPTIONS', 100, 1, 100_000),
    },
  };
  const allowEmbedded = read.oneOf('ALLOW_EMBEDDED', ['true', 'false'], 'false') === 'true';
  // Of the program that seeds the demo; asked here so that a slip in it is told too.
  read.oneOf('DEMO', ['true', 'false'], 'true');
  if (mode === 'production') productionRefusals(config, allowEmbedded, read);
  return config;
}

/** A fault tells which address it is, not the address: it may hold a provider's key. */
function nodeUrls(read: Reader): readonly string[] {
  const urls = read.list('CHAIN_RPC_URLS');
  const wrong = urls.flatMap((url, i) => (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? [] : [i + 1]));
  if (wrong.length > 0) read.faults.push(`CHAIN_RPC_URLS takes addresses such as https://node.example; number ${wrong.join(', ')} is none`);
  return urls;
}

function registry(read: Reader): string | null {
  const address = read.optional('CHAIN_REGISTRY');
  if (address !== null && !/^0x[0-9a-fA-F]{40}$/.test(address))
    read.faults.push(`CHAIN_REGISTRY is "${address}"; it takes the address of a contract: 0x and 40 hexadecimal digits`);
  return address;
}

/** Without the setting, in development this machine itself; in production nothing. */
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

/** A port of its own: what it shows is for the operator's network alone. 0 takes a free one. */
function metrics(read: Reader, port: number): Config['metrics'] {
  if (!read.has('METRICS_PORT')) return null;
  const own = read.integer('METRICS_PORT', 0, 0, 65_535);
  if (own !== 0 && own === port) read.faults.push(`METRICS_PORT is ${own}, as PORT is; each needs its own`);
  return { host: read.text('METRICS_HOST', '127.0.0.1'), port: own };
}

/** The standard names of OpenTelemetry, as far as they are the service's own. */
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

/** As browsers write an origin: scheme, host and a port that is not the scheme's own. */
function corsOrigins(read: Reader): readonly string[] {
  const origins = read.list('CORS_ORIGINS');
  const wrong = origins.filter((origin) => origin !== '*' && (!URL.canParse(origin) || new URL(origin).origin !== origin));
  if (wrong.length > 0) read.faults.push(`CORS_ORIGINS takes origins such as https://portal.example, or *; it has ${wrong.join(', ')}`);
  return origins;
}

/** Production says which domains are its own; without any, no message is for this service. */
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
  if (!/^[^\s@<>]+@[^\s@<>]+$/.test(from)) read.faults.push('MAIL_FROM must be the bare address that mails of SMTP_URL come from');
  return { kind: 'smtp', url: read.url('SMTP_URL', ['smtp:', 'smtps:']), from };
}

function resetUrl(read: Reader): string | null {
  if (!read.has('PASSWORD_RESET_URL')) return null;
  const url = read.url('PASSWORD_RESET_URL', ['http:', 'https:']);
  if (!url.includes('{token}')) read.faults.push('PASSWORD_RESET_URL must hold {token}, where the token of the link goes');
  return url;
}

function database(read: Reader): DatabaseConfig {
  const poolSize = read.integer('DATABASE_POOL', 10, 2, 500);
  const timeoutMs = read.integer('DATABASE_TIMEOUT_MS', 10_000, 100, 600_000);
  if (!read.has('DATABASE_URL')) return { kind: 'embedded', poolSize, timeoutMs };
  const url = read.url('DATABASE_URL', ['postgres:', 'postgresql:']);
  return {
    kind: 'url',
    url,
    migrationUrl: read.has('DATABASE_MIGRATION_URL') ? read.url('DATABASE_MIGRATION_URL', ['postgres:', 'postgresql:']) : url,
    poolSize,
    timeoutMs,
  };
}

function reports(read: Reader): ReportsConfig {
  return {
    // An answer that waits for its first question need not be of this minute: the question itself has it computed anew.
    readyEveryMs: read.integer('REPORTS_READY_EVERY_MS', 600_000, 0, 86_400_000),
    followEveryMs: read.integer('REPORTS_FOLLOW_EVERY_MS', 2_000, 0, 86_400_000),
    alertsEveryMs: read.integer('ALERTS_EVERY_MS', 10_000, 0, 86_400_000),
    alertsKeptDays: read.integer('ALERTS_KEPT_DAYS', 730, 1, 36_500),
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

const GIB = 1_073_741_824;
const TIERS: LimitsConfig['tiers'] = {
  sandbox: { requestsPerMinute: 600, eventsPerMonth: 10_000, storedBytes: GIB, keys: 10, subscriptions: 20 },
  standard: { requestsPerMinute: 600, eventsPerMonth: 1_000_000, storedBytes: 100 * GIB, keys: 100, subscriptions: 100 },
  enterprise: { requestsPerMinute: 6_000, eventsPerMonth: 100_000_000, storedBytes: 10_000 * GIB, keys: 1_000, subscriptions: 1_000 },
};

function limits(read: Reader): LimitsConfig {
  const most = 1_000_000_000;
  return {
    requestsPerMinute: read.integer('RATE_REQUESTS', 600, 1, most),
    loginsPerAccount: read.integer('RATE_LOGINS_PER_ACCOUNT', 10, 1, most),
    loginsPerAddress: read.integer('RATE_LOGINS_PER_ADDRESS', 60, 1, most),
    refusedPerAddress: read.integer('RATE_REFUSED_PER_ADDRESS', 60, 1, most),
    publicPerAddress: read.integer('RATE_PUBLIC_PER_ADDRESS', 60, 1, most),
    tiers: read.numbersByName('TIERS', TIERS),
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

/** reliability-decisions §3.9 */
function productionRefusals(config: Config, allowEmbedded: boolean, read: Reader): void {
  const embedded = (engine: string, variable: string): void => {
    if (!allowEmbedded)
      read.faults.push(`${variable} is not set: the embedded ${engine} is refused in production unless ALLOW_EMBEDDED=true`);
  };
  if (config.database.kind === 'embedded') embedded('PostgreSQL', 'DATABASE_URL');
  if (config.chain.node.kind === 'embedded') embedded('EVM node', 'CHAIN_RPC_URLS');
  if (config.content.kind === 'files') embedded('content store', 'KUBO_RPC_URL');
  if (!config.secrets.encryptionKey) read.faults.push('ENCRYPTION_KEY is not set: production needs its own (32 bytes, base64)');
  if (!config.secrets.signingKeys) read.faults.push('JWT_SIGNING_KEYS is not set: production needs its own ES256 keys (PEM)');
}
