import { createHash, createPublicKey, verify } from 'node:crypto';

/** What a passkey signed, as browsers give it (WebAuthn, `toJSON`). */
export interface Assertion {
  /** Of the credential, base64url. */
  readonly id: string;
  readonly clientDataJSON: Buffer;
  readonly authenticatorData: Buffer;
  /** DER. */
  readonly signature: Buffer;
  /** Of the page that asked; null when it names none. */
  readonly origin: string | null;
  /** Of signatures. */
  readonly counter: number;
}

/** Of a key of an account: 0x and 64 hex digits each. */
interface PublicPoint {
  readonly x: string;
  readonly y: string;
  readonly rpIdHash: string;
}

const MOST_BYTES = 4_096;
/** Present and verified. */
const FLAGS = 0x05;
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function bytesOf(value: unknown): Buffer | null {
  if (typeof value !== 'string' || value.length > MOST_BYTES || !/^[\w-]+$/.test(value)) return null;
  return Buffer.from(value, 'base64url');
}

/** @returns null for anything that is not the answer of an authenticator */
export function readAssertion(credential: unknown): Assertion | null {
  if (!isRecord(credential) || typeof credential['id'] !== 'string' || !isRecord(credential['response'])) return null;
  const { response } = credential;
  const [client, data, signature] = ['clientDataJSON', 'authenticatorData', 'signature'].map((name) => bytesOf(response[name]));
  if (!client || !data || !signature || data.length < 37) return null;
  const given = { clientDataJSON: client, authenticatorData: data, signature };
  return { id: credential['id'], ...given, origin: originIn(client), counter: data.readUInt32BE(33) };
}

function originIn(clientData: Buffer): string | null {
  try {
    const { origin } = JSON.parse(clientData.toString()) as { readonly origin?: unknown };
    return typeof origin === 'string' ? origin : null;
  } catch {
    return null;
  }
}

/** Whether this key signed this digest, for its own domain, with its user present and verified: what the account checks on chain. */
export function isSignedBy({ x, y, rpIdHash }: PublicPoint, digest: string, assertion: Assertion): boolean {
  const { clientDataJSON, authenticatorData, signature } = assertion;
  if (`0x${authenticatorData.subarray(0, 32).toString('hex')}` !== rpIdHash || (authenticatorData[32]! & FLAGS) !== FLAGS) return false;
  if (!positionsIn(clientDataJSON.toString('latin1'), digest)) return false;
  const coordinate = (word: string): string => Buffer.from(word.slice(2), 'hex').toString('base64url');
  try {
    const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: coordinate(x), y: coordinate(y) }, format: 'jwk' });
    const message = Buffer.concat([authenticatorData, createHash('sha256').update(clientDataJSON).digest()]);
    return verify('sha256', message, key, signature);
  } catch {
    return false; // no point of the curve, or no signature
  }
}

function positionsIn(clientData: string, digest: string): { readonly challengeIndex: number; readonly typeIndex: number } | null {
  const challenge = Buffer.from(digest.slice(2), 'hex').toString('base64url');
  const [challengeIndex, typeIndex] = [clientData.indexOf(`"challenge":"${challenge}"`), clientData.indexOf('"type":"webauthn.get"')];
  return challengeIndex < 0 || typeIndex < 0 ? null : { challengeIndex, typeIndex };
}

/** The compact form in which the contract takes it, with the low `s`. @param digest that was found in it */
export function compactOf(digest: string, { clientDataJSON, authenticatorData, signature }: Assertion): string {
  // A letter a byte: the account counts in bytes.
  const { challengeIndex, typeIndex } = positionsIn(clientDataJSON.toString('latin1'), digest)!;
  const [r, s] = integersOf(signature);
  const low = s > ORDER / 2n ? ORDER - s : s;
  const word = (value: bigint): string => value.toString(16).padStart(64, '0');
  const short = (value: number): string => value.toString(16).padStart(4, '0');
  const given = `${authenticatorData.toString('hex')}${clientDataJSON.toString('hex')}`;
  return `0x${short(authenticatorData.length)}${given}${short(challengeIndex)}${short(typeIndex)}${word(r)}${word(low)}`;
}

/** Of a signature in DER that was verified. */
function integersOf(der: Buffer): readonly [bigint, bigint] {
  const lengthOfR = der[3]!;
  const integer = (from: number, length: number): bigint => BigInt(`0x${der.subarray(from, from + length).toString('hex')}`);
  return [integer(4, lengthOfR), integer(6 + lengthOfR, der[5 + lengthOfR]!)];
}
