import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { compactOf, isSignedBy, readAssertion } from './assertion.js';

const DOMAIN = 'trace.example';
const DIGEST = `0x${'5a'.repeat(32)}`;
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const sha256 = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest();
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const { x = '', y = '' } = pair.publicKey.export({ format: 'jwk' });
const word = (text: string): string => `0x${Buffer.from(text, 'base64url').toString('hex')}`;
const KEY = { x: word(x), y: word(y), rpIdHash: `0x${sha256(DOMAIN).toString('hex')}` };

interface CredentialParts {
  readonly challenge?: string;
  readonly type?: string;
  readonly origin?: unknown;
  readonly flags?: number;
  readonly domain?: string;
}

function credential({
  challenge = DIGEST,
  type = 'webauthn.get',
  origin = 'https://trace.example',
  flags = 0x05,
  domain = DOMAIN,
}: CredentialParts = {}) {
  const authenticatorData = Buffer.concat([sha256(domain), Buffer.from([flags, 0, 0, 0, 9])]);
  const clientDataJSON = JSON.stringify({ type, challenge: Buffer.from(challenge.slice(2), 'hex').toString('base64url'), origin });
  const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientDataJSON)]), pair.privateKey);
  const response = { authenticatorData, clientDataJSON: Buffer.from(clientDataJSON), signature };
  return { id: 'a', response: Object.fromEntries(Object.entries(response).map(([name, bytes]) => [name, bytes.toString('base64url')])) };
}

describe('the answer of a passkey', () => {
  it('is read with its page and its counter', () => {
    expect(readAssertion(credential())).toMatchObject({ id: 'a', origin: 'https://trace.example', counter: 9 });
    for (const origin of [7, null, ['https://trace.example']]) expect(readAssertion(credential({ origin }))!.origin).toBeNull();
  });

  it.each([
    ['nothing', null],
    ['a text', 'assertion'],
    ['no response', { id: 'a' }],
    ['no id', { ...credential(), id: 7 }],
    ['a number for bytes', { id: 'a', response: { ...credential().response, signature: 7 } }],
    ['base64 of the other alphabet', { id: 'a', response: { ...credential().response, signature: 'a+b/' } }],
    ['nothing signed', { id: 'a', response: { ...credential().response, signature: '' } }],
    ['data that is too short', { id: 'a', response: { ...credential().response, authenticatorData: 'AAAA' } }],
    ['more than anybody signs', { id: 'a', response: { ...credential().response, clientDataJSON: 'A'.repeat(4_097) } }],
  ])('is none with %s', (_what, given) => {
    expect(readAssertion(given)).toBeNull();
  });

  it('is signed by this key, for this digest and domain, with its user present and verified', () => {
    const signed = (given: CredentialParts, key = KEY, digest = DIGEST): boolean =>
      isSignedBy(key, digest, readAssertion(credential(given))!);
    expect(signed({})).toBe(true);
    const other = `0x${'5b'.repeat(32)}`;
    expect([signed({ challenge: other }), signed({}, KEY, other), signed({ type: 'webauthn.create' })]).toEqual([false, false, false]);
    expect([signed({ domain: 'evil.example' }), signed({ flags: 0x01 }), signed({ flags: 0x04 })]).toEqual([false, false, false]);
    expect([signed({}, { ...KEY, x: KEY.y }), signed({}, { ...KEY, x: `0x${'0'.repeat(64)}` })]).toEqual([false, false]);
    const cut = { ...readAssertion(credential())!, signature: Buffer.from('30', 'hex') };
    expect(isSignedBy(KEY, DIGEST, cut)).toBe(false);
  });

  it('goes to the account with the low s, and with where type and challenge are', () => {
    for (let i = 0; i < 20; i++) {
      const assertion = readAssertion(credential())!;
      const compact = compactOf(DIGEST, assertion);
      expect(BigInt(`0x${compact.slice(-64)}`) <= ORDER / 2n).toBe(true);
      const client = assertion.clientDataJSON.toString();
      const places = [client.indexOf('"challenge"'), client.indexOf('"type"')].map((at) => at.toString(16).padStart(4, '0')).join('');
      expect(compact.slice(-136, -128)).toBe(places);
    }
  });
});
