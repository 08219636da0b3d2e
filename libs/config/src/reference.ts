import { assemble } from './env.js';
import { Reader } from './reader.js';
import { SETTINGS } from './settings.js';

export interface SettingReference {
  readonly name: string;
  readonly type: string;
  /** Empty: none. */
  readonly fallback: string;
  readonly does: string;
  readonly secret: boolean;
}

/** Chooses every engine, so that all of its settings are read. */
const EVERYTHING = {
  DATABASE_URL: 'postgres://db/trace',
  DATABASE_MIGRATION_URL: 'postgres://db/trace',
  REDIS_URL: 'redis://redis',
  CHAIN_PORT: '8545',
  KUBO_RPC_URL: 'http://kubo:5001',
  METRICS_PORT: '9464',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
  SMTP_URL: 'smtp://mail',
  MAIL_FROM: 'trace@example.org',
  PASSWORD_RESET_URL: 'https://portal.example/#{token}',
  INSIGHTS_MODEL_URL: 'http://model',
  SIWE_DOMAINS: 'trace.example',
  JWT_SIGNING_KEYS: '-----BEGIN PRIVATE KEY-----x-----END PRIVATE KEY-----',
  WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8',
};

/** Every setting that the service reads, as the code reads it: type and default are what it hands its reader. */
export function settingsReference(): readonly SettingReference[] {
  const readers = [new Reader({}), new Reader(EVERYTHING), new Reader({ CHAIN_RPC_URLS: 'http://node:8545' })];
  for (const read of readers) assemble(read);
  const asked = new Map(readers.toReversed().flatMap((read) => [...read.asked]));
  const untold = [...asked.keys()].filter((name) => !Object.hasOwn(SETTINGS, name));
  const unread = Object.keys(SETTINGS).filter((name) => !asked.has(name));
  if (untold.length + unread.length > 0)
    throw new Error(`settings without a sentence: ${untold.join()}; without a reader: ${unread.join()}`);
  return Object.entries(SETTINGS).map(([name, { does, secret = false }]) => ({
    name,
    ...asked.get(name)!,
    // Such a setting chooses something by being there.
    ...(Object.hasOwn(EVERYTHING, name) && { fallback: '' }),
    does,
    secret,
  }));
}

/** docs/reference/configuration.md */
export function settingsPage(): string {
  const rows = settingsReference().map(
    ({ name, type, fallback, does, secret }) =>
      `| \`${name}\` | ${type} | ${fallback === '' ? 'none' : `\`${fallback}\``} | ${secret ? 'yes' : ''} | ${does} |`,
  );
  return [
    '# Configuration',
    '',
    '<!-- Made from libs/config by `npm run cli -- reference`; a test compares them. -->',
    '',
    'The service is configured by its environment, read once at start; every fault is told at once. Without any setting it runs on',
    'embedded engines. Defaults are those of development. A secret may be given as a file: `<NAME>_FILE` holds its path, and then `<NAME>` is not set.',
    '',
    'With `NODE_ENV=production` the service refuses to start on embedded engines (unless `ALLOW_EMBEDDED=true`) and without',
    '`ENCRYPTION_KEY` and `JWT_SIGNING_KEYS`.',
    '',
    '| setting | takes | default | secret | what it does |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** .env.example: every setting, commented out, with its default. */
export function envExample(): string {
  const lines = settingsReference().flatMap(({ name, type, fallback, does, secret }) => [
    `# ${does} (${type.replaceAll('`', '')}${secret ? `; secret, or ${name}_FILE` : ''})`,
    `#${name}=${fallback}`,
    '',
  ]);
  const head = [
    '# Every setting with its default. Made from libs/config by `npm run cli -- reference`.',
    '# The service reads its environment and no file. From a copy: set -a; . ./.env; set +a; npm start',
  ];
  return [...head, '', ...lines].join('\n');
}
