import { type KeyObject, X509Certificate, createPrivateKey } from 'node:crypto';
import {
  sealCertificateExpired,
  sealCertificateMalformed,
  sealCertificateNotYetValid,
  sealChainBroken,
  sealKeyMalformed,
  sealKeyMismatch,
  sealKeyUnsupported,
} from '../errors.js';

/** A key that seals, with its certificates: its own first, then those that issued it. */
export interface SealMaterial {
  readonly key: KeyObject;
  readonly chain: readonly X509Certificate[];
}

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+?-----END CERTIFICATE-----/g;
/** A chain has a certificate, one or two of issuers, and a root. */
const MOST_CERTIFICATES = 8;
const RSA_BITS = 2_048;

/** The certificates of a PEM text. @throws DomainError 422 `seal_certificate_malformed` */
export function readChain(pem: string): readonly X509Certificate[] {
  const texts = pem.match(CERTIFICATES) ?? [];
  if (texts.length === 0 || texts.length > MOST_CERTIFICATES) throw sealCertificateMalformed();
  try {
    return texts.map((text) => new X509Certificate(text));
  } catch {
    throw sealCertificateMalformed();
  }
}

/** The key and its certificates, if they fit each other at this time. @throws DomainError 422 `seal_…` */
export function sealMaterial(chainPem: string, keyPem: string, now: Date): SealMaterial {
  const chain = readChain(chainPem);
  const key = readKey(keyPem);
  if (!chain[0]!.checkPrivateKey(key)) throw sealKeyMismatch();
  if (sealAlgorithm(key) === null) throw sealKeyUnsupported();
  checkChain(chain, now);
  return { key, chain };
}

/** @throws DomainError 422 `seal_chain_broken`, `seal_certificate_not_yet_valid`, `seal_certificate_expired` */
export function checkChain(chain: readonly X509Certificate[], now: Date): void {
  for (const [i, certificate] of chain.entries()) {
    const issuer = chain[i + 1];
    if (issuer && !(issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey))) throw sealChainBroken();
    if (Date.parse(certificate.validFrom) > now.getTime()) throw sealCertificateNotYetValid(certificate.validFrom);
    if (Date.parse(certificate.validTo) < now.getTime()) throw sealCertificateExpired(certificate.validTo);
  }
}

function readKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw sealKeyMalformed();
  }
}

const CURVES: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

/** Of JWS (RFC 7518); null where it has none for this key, or only one that is too weak. */
export function sealAlgorithm({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | null {
  if (asymmetricKeyType === 'ec') return CURVES[asymmetricKeyDetails?.namedCurve ?? ''] ?? null;
  if (asymmetricKeyType === 'rsa') return (asymmetricKeyDetails?.modulusLength ?? 0) >= RSA_BITS ? 'PS256' : null;
  return null;
}
