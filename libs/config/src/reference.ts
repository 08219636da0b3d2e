import { assemble } from './env.js';
import { Reader } from './reader.js';
import { SETTINGS } from './settings.js';

export interface SettingReference {
  readonly name: string;
  readonly type: string;
  /** Empty if there is none. */
  readonly fallback: string;
  readonly does: string;
  readonly secret: boolean;
}

/** Chooses every engine, so that all settings are read. */
const EVERYTHING = {
  DATABASE_URL: 'postgres://db/trace',
  DATABASE_MIGRATION_URL: 'postgres://db/trace',
  DATABASE_DIRECT_URL: 'postgres://db/trace',
  REDIS_URL: 'redis://redis',
  CHAIN_PORT: '8545',
  KUBO_RPC_URL: 'http://kubo:5001',
  SPONSOR_PKCS11_MODULE: '/usr/lib/pkcs11.so',
  SPONSOR_PKCS11_TOKEN: 'token',
  SPONSOR_PKCS11_LABEL: 'sponsor',
  SPONSOR_PKCS11_PIN: '1234',
  METRICS_PORT: '9464',
  ERASURE_DIR: '/var/lib/trace/erasure',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
  CLAMD_URL: 'tcp://clamd:3310',
  SMTP_URL: 'smtp://mail',
  MAIL_FROM: 'trace@example.org',
  PASSWORD_RESET_URL: 'https://portal.example/#{token}',
  INSIGHTS_MODEL_URL: 'http://model',
  SIWE_DOMAINS: 'trace.example',
  JWT_SIGNING_KEYS: '-----BEGIN PRIVATE KEY-----x-----END PRIVATE KEY-----',
  WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8',
};

/** Every setting that the service reads. Type and default come from the code that reads it. */
export function settingsReference(): readonly SettingReference[] {
  const readers = [new Reader({}), new Reader(EVERYTHING), new Reader({ CHAIN_RPC_URLS: 'http://node:8545' })];
  for (const read of readers) assemble(read);
  const formats = new Map(readers.toReversed().flatMap((read) => [...read.formats]));
  const undocumented = [...formats.keys()].filter((name) => !Object.hasOwn(SETTINGS, name));
  const unread = Object.keys(SETTINGS).filter((name) => !formats.has(name));
  if (undocumented.length + unread.length > 0)
    throw new Error(`settings without a description: ${undocumented.join()}; settings that are never read: ${unread.join()}`);
  return Object.entries(SETTINGS).map(([name, { does, secret = false }]) => ({
    name,
    ...formats.get(name)!,
    // The presence of such a setting chooses an engine, so it has no default.
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
    '<!-- Generated from libs/config by `npm run cli -- reference`; a test compares them. -->',
    '',
    'The service reads its settings from the environment once, at start, and reports all errors together. Without any setting it uses',
    'embedded engines. The defaults are for development. A secret can be in a file: set `<NAME>_FILE` to its path and do not set `<NAME>`.',
    '',
    'With `NODE_ENV=production` the service does not start with embedded engines (unless `ALLOW_EMBEDDED=true`), nor without',
    '`ENCRYPTION_KEY` and `JWT_SIGNING_KEYS`.',
    '',
    '| setting | value | default | secret | meaning |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** .env.example: every setting with its default, commented out. */
export function envExample(): string {
  const lines = settingsReference().flatMap(({ name, type, fallback, does, secret }) => [
    `# ${does} (${type.replaceAll('`', '')}${secret ? `; secret, or ${name}_FILE` : ''})`,
    `#${name}=${fallback}`,
    '',
  ]);
  const head = [
    '# Every setting with its default. Generated from libs/config by `npm run cli -- reference`.',
    '# The service reads the environment, not this file. To use a copy: set -a; . ./.env; set +a; npm start',
  ];
  return [...head, '', ...lines].join('\n');
}
