import { siweNotCurrent, siweWrongChain, siweWrongDomain, siweWrongUri, siweWrongVersion } from '../errors.js';

/** The fields of an EIP-4361 message; times as in its text. */
export interface SiweFields {
  readonly scheme?: string | undefined;
  readonly domain: string;
  /** EIP-55. */
  readonly address: string;
  readonly uri: string;
  readonly version: string;
  readonly chainId: number;
  readonly nonce: string;
  readonly issuedAt?: string | undefined;
  readonly expirationTime?: string | undefined;
  readonly notBefore?: string | undefined;
}

interface SiwePolicy {
  /** Host, with the port unless it is the default of the scheme; compared exactly. */
  readonly domains: readonly string[];
  readonly chainId: number;
}

/** A message has a few hundred bytes; longer text is not parsed. */
export const MAX_SIWE_BYTES = 4_096;
/** A contract wallet with many owners concatenates their signatures. */
export const MAX_SIGNATURE_BYTES = 4_096;
export const NONCE_TTL_MS = 5 * 60_000;
const OLDEST_MS = 5 * 60_000;
const CLOCK_SKEW_MS = 60_000;

/**
 * Checks the policy of docs/spec/reliability.md#identity-and-access, before the signature is verified.
 * @throws DomainError 401 `siwe_wrong_version`, `siwe_wrong_domain`, `siwe_wrong_uri`, `siwe_wrong_chain`, `siwe_not_current`
 */
export function checkSiwe(fields: SiweFields, policy: SiwePolicy, now: Date): void {
  if (fields.version !== '1') throw siweWrongVersion();
  if (!policy.domains.includes(fields.domain) || !isWeb(`${fields.scheme ?? 'https'}:`)) throw siweWrongDomain(fields.domain);
  const uri = URL.canParse(fields.uri) ? new URL(fields.uri) : null;
  if (!uri || !isWeb(uri.protocol) || !policy.domains.includes(uri.host)) throw siweWrongUri();
  if (fields.chainId !== policy.chainId) throw siweWrongChain(policy.chainId);
  checkTimes(fields, now.getTime());
}

/** Each comparison refuses an invalid date (NaN). */
function checkTimes({ issuedAt, expirationTime, notBefore }: SiweFields, now: number): void {
  const issued = timeOf(issuedAt);
  if (!(issued >= now - OLDEST_MS && issued <= now + CLOCK_SKEW_MS)) throw siweNotCurrent('Issued At');
  if (expirationTime !== undefined && !(timeOf(expirationTime) > now)) throw siweNotCurrent('Expiration Time');
  if (notBefore !== undefined && !(timeOf(notBefore) <= now)) throw siweNotCurrent('Not Before');
}

const timeOf = (text: string | undefined): number => Date.parse(text ?? '');
const isWeb = (protocol: string): boolean => protocol === 'https:' || protocol === 'http:';
