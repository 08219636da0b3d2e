import { siweNotCurrent, siweWrongChain, siweWrongDomain, siweWrongUri, siweWrongVersion } from './errors.js';

/** What an EIP-4361 message says; times as its text has them. */
export interface SiweClaims {
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

export interface SiwePolicy {
  /** Host and port where it is not the scheme's own; compared exactly. */
  readonly domains: readonly string[];
  readonly chainId: number;
}

/** A message takes some hundred bytes; longer text is not even parsed. */
export const MAX_SIWE_BYTES = 4_096;
/** A contract wallet of many owners concatenates their signatures. */
export const MAX_SIGNATURE_BYTES = 4_096;
export const NONCE_TTL_MS = 5 * 60_000;
const OLDEST_MS = 5 * 60_000;
const CLOCK_SKEW_MS = 60_000;

/**
 * The policy of reliability-decisions §3.4, all of it before the signature is looked at.
 * @throws DomainError 401 `siwe_wrong_version`, `siwe_wrong_domain`, `siwe_wrong_uri`, `siwe_wrong_chain`, `siwe_not_current`
 */
export function checkSiwe(claims: SiweClaims, policy: SiwePolicy, now: Date): void {
  if (claims.version !== '1') throw siweWrongVersion();
  if (!policy.domains.includes(claims.domain) || !isWeb(`${claims.scheme ?? 'https'}:`)) throw siweWrongDomain(claims.domain);
  const uri = URL.canParse(claims.uri) ? new URL(claims.uri) : null;
  if (!uri || !isWeb(uri.protocol) || !policy.domains.includes(uri.host)) throw siweWrongUri();
  if (claims.chainId !== policy.chainId) throw siweWrongChain(policy.chainId);
  checkTimes(claims, now.getTime());
}

/** Each comparison is written so that an invalid date (NaN) refuses. */
function checkTimes({ issuedAt, expirationTime, notBefore }: SiweClaims, now: number): void {
  const issued = timeOf(issuedAt);
  if (!(issued >= now - OLDEST_MS && issued <= now + CLOCK_SKEW_MS)) throw siweNotCurrent('Issued At');
  if (expirationTime !== undefined && !(timeOf(expirationTime) > now)) throw siweNotCurrent('Expiration Time');
  if (notBefore !== undefined && !(timeOf(notBefore) <= now)) throw siweNotCurrent('Not Before');
}

const timeOf = (text: string | undefined): number => Date.parse(text ?? '');
const isWeb = (protocol: string): boolean => protocol === 'https:' || protocol === 'http:';
