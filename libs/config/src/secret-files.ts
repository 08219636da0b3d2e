import { readFileSync } from 'node:fs';
import type { Env } from './reader.js';
import { SETTINGS } from './settings.js';

export type ReadFile = (path: string) => string;

/** Secrets that were given as files (`ENCRYPTION_KEY_FILE=/run/secrets/key`), put where they are read; a newline at the end is not part of one. */
export function withSecretFiles(
  env: Env,
  readFile: ReadFile = (path) => readFileSync(path, 'utf8'),
): { readonly env: Env; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const read: Record<string, string> = {};
  for (const [name, { secret }] of Object.entries(SETTINGS)) {
    const path = env[`${name}_FILE`];
    if (!secret || !path) continue;
    if (env[name]) faults.push(`${name} and ${name}_FILE are both set; one of them is meant`);
    try {
      read[name] = readFile(path).replace(/\r?\n$/, '');
      if (read[name] === '') faults.push(`${name}_FILE names an empty file`);
    } catch {
      faults.push(`${name}_FILE names ${path}, which cannot be read`);
    }
  }
  return { env: { ...env, ...read }, faults };
}
