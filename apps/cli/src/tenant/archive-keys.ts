import { scryptSync } from 'node:crypto';
import { OperatorError } from '../../../runtime/src/index.js';

const COST = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 1024 * 1024 } as const;
const LEAST_CHARACTERS = 16;

/** @throws OperatorError */
export function passphraseGiven(): string {
  const given = process.env.TRACE_ARCHIVE_PASSPHRASE;
  if (given !== undefined && given.length >= LEAST_CHARACTERS) return given;
  throw new OperatorError(
    `Set TRACE_ARCHIVE_PASSPHRASE, of at least ${LEAST_CHARACTERS} characters: it seals the archive and the keys in it.`,
  );
}

/** Who knows the passphrase can make and read the archive. @param salt base64 */
export function archiveKeys(passphrase: string, salt: string): { readonly mac: Buffer; readonly seal: Buffer } {
  const both = scryptSync(passphrase.normalize('NFKC'), Buffer.from(salt, 'base64'), 64, COST);
  return { mac: both.subarray(0, 32), seal: both.subarray(32) };
}

/** What a line of keys belongs to: in another archive or place it does not open. */
export const keysLine = (tenantId: string, salt: string, line: number): string => `tenant archive ${tenantId} ${salt} line ${line}`;
