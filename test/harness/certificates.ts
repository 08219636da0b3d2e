import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** P-256, as seals and TLS use it. */
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

export interface Issued {
  readonly certificate: x509.X509Certificate;
  readonly keys: CryptoKeyPair;
  /** PEM of the key (PKCS #8). */
  readonly keyPem: string;
}

interface CertificateOptions {
  readonly name: string;
  /** None: it is its own issuer. */
  readonly issuer?: Issued;
  readonly ca?: boolean;
  readonly from?: Date;
  readonly to?: Date;
  readonly host?: string;
  /** Of a certificate that was issued before. */
  readonly keys?: CryptoKeyPair;
}

/** A certificate for a test, with a new key. */
export async function issueCertificate({ name, issuer, ca = false, from, to, host, keys: given }: CertificateOptions): Promise<Issued> {
  const keys = given ?? (await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']));
  const certificate = await x509.X509CertificateGenerator.create(
    {
      serialNumber: Buffer.from(webcrypto.getRandomValues(new Uint8Array(8))).toString('hex'),
      subject: `CN=${name}, O=${name}, C=VN`,
      issuer: issuer?.certificate.subject ?? `CN=${name}, O=${name}, C=VN`,
      notBefore: from ?? new Date(Date.now() - DAY_MS),
      notAfter: to ?? new Date(Date.now() + 30 * DAY_MS),
      signingAlgorithm: ALGORITHM,
      publicKey: keys.publicKey,
      signingKey: (issuer?.keys ?? keys).privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(ca, undefined, true),
        new x509.KeyUsagesExtension(ca ? x509.KeyUsageFlags.keyCertSign : x509.KeyUsageFlags.digitalSignature, true),
        ...(host === undefined ? [] : [new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: host }])]),
      ],
    },
    webcrypto as unknown as Crypto,
  );
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  return { certificate, keys, keyPem: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY') };
}
