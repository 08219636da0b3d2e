import type { Config } from './config.js';
import type { Reader } from './reader.js';

/** Who sends and pays for calls that passkeys signed. */
export const sponsor = (read: Reader): Config['sponsor'] => ({
  signer: sponsorSigner(read),
  weiPerDay: wei(read, 'SPONSOR_WEI_PER_DAY', 10n ** 17n),
  relaysPerHour: read.integer('SPONSOR_RELAYS_PER_HOUR', 120, 1, 1_000_000),
  replaceAfterMs: read.integer('SPONSOR_REPLACE_AFTER_SECONDS', 30, 1, 3_600) * 1_000,
});

function sponsorSigner(read: Reader): Config['sponsor']['signer'] {
  const key = read.optional('SPONSOR_KEY');
  if (key !== null && !/^0x[0-9a-fA-F]{64}$/.test(key)) read.faults.push('SPONSOR_KEY takes a private key: 0x and 64 hexadecimal digits');
  if (!read.has('SPONSOR_PKCS11_MODULE')) return key === null ? { kind: 'none' } : { kind: 'local', key };
  if (key !== null) read.faults.push('SPONSOR_KEY and SPONSOR_PKCS11_MODULE are both set: the sponsor has one key');
  const named = (name: string): string => {
    if (!read.has(name)) read.faults.push(`${name} is not set: SPONSOR_PKCS11_MODULE needs it`);
    return read.text(name, '');
  };
  return {
    kind: 'pkcs11',
    module: read.text('SPONSOR_PKCS11_MODULE', ''),
    token: named('SPONSOR_PKCS11_TOKEN'),
    label: named('SPONSOR_PKCS11_LABEL'),
    pin: named('SPONSOR_PKCS11_PIN'),
  };
}

function wei(read: Reader, name: string, fallback: bigint): bigint {
  const text = read.text(name, String(fallback));
  if (/^\d{1,30}$/.test(text)) return BigInt(text);
  read.faults.push(`${name} is "${text}"; it takes a whole number of wei`);
  return fallback;
}
