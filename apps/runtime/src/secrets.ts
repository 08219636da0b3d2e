import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config, SecretsConfig } from '#config';
import { replaceSecretFile } from './data-folder.js';
import { OperatorError } from './operator-error.js';

/** The configured secrets. In development, missing secrets are generated once and stored in the data folder. */
export function withSecrets(given: Config): Config {
  const config = withKeys(given);
  if (config.mode === 'production' || config.sponsor.signer.kind !== 'none') return config;
  // A sponsor for development: the same at every start, and in every process with the same secrets.
  const key = createHmac('sha256', config.secrets.encryptionKey!).update('key of the sponsor').digest('hex');
  return { ...config, sponsor: { ...config.sponsor, signer: { kind: 'local', key: `0x${key}` } } };
}

function withKeys(config: Config): Config {
  const { encryptionKey, signingKeys } = config.secrets;
  if (encryptionKey && signingKeys) return config;
  const path = join(config.dataDir, 'secrets.json');
  const known = read(path);
  // They are made before the database: one without them is half of a backup.
  if (!known && !encryptionKey && existsSync(join(config.dataDir, 'postgres', 'PG_VERSION'))) throw lost(path, 'are missing');
  const generated = known ?? generate(path);
  const secrets: SecretsConfig = {
    ...config.secrets,
    encryptionKey: encryptionKey ?? Buffer.from(generated.encryptionKey, 'base64'),
    signingKeys: signingKeys ?? [generated.signingKey],
  };
  return { ...config, secrets };
}

interface GeneratedSecrets {
  readonly encryptionKey: string;
  readonly signingKey: string;
}

function generate(path: string): GeneratedSecrets {
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const generated: GeneratedSecrets = { encryptionKey: randomBytes(32).toString('base64'), signingKey: privateKey };
  replaceSecretFile(path, JSON.stringify(generated));
  return generated;
}

/** Null when there are none yet. Lost secrets cannot be made again: what was encrypted with them would stay unreadable. */
function read(path: string): GeneratedSecrets | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const { encryptionKey, signingKey } = parsed(text);
  if (typeof encryptionKey === 'string' && typeof signingKey === 'string') return { encryptionKey, signingKey };
  throw lost(path, 'are damaged');
}

const lost = (path: string, how: string): OperatorError =>
  new OperatorError(
    `The secrets in ${path} ${how}. Restore the file from a backup, or set ENCRYPTION_KEY and JWT_SIGNING_KEYS; ` +
      'without the earlier key, stored webhook secrets and login factors cannot be read.',
  );

function parsed(text: string): Partial<GeneratedSecrets> {
  try {
    return (JSON.parse(text) ?? {}) as Partial<GeneratedSecrets>;
  } catch {
    return {};
  }
}
