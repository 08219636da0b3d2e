import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config, SecretsConfig } from '#config';

/** The configured secrets; in development those that are missing are made once and kept in the data folder. */
export function withSecrets(config: Config): Config {
  const { encryptionKey, signingKeys } = config.secrets;
  if (encryptionKey && signingKeys) return config;
  const made = readOrMake(join(config.dataDir, 'secrets.json'));
  const secrets: SecretsConfig = {
    encryptionKey: encryptionKey ?? Buffer.from(made.encryptionKey, 'base64'),
    signingKeys: signingKeys ?? [made.signingKey],
  };
  return { ...config, secrets };
}

interface MadeSecrets {
  readonly encryptionKey: string;
  readonly signingKey: string;
}

function readOrMake(path: string): MadeSecrets {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as MadeSecrets;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const made: MadeSecrets = { encryptionKey: randomBytes(32).toString('base64'), signingKey: privateKey };
  writeFileSync(`${path}.new`, JSON.stringify(made), { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return made;
}
