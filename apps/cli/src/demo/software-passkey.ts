import { type KeyObject, createECDH, createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const base64url = (bytes: Buffer): string => bytes.toString('base64url');

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;
/** Starts a byte string of 32 bytes in CBOR. */
const WORD = Buffer.from([0x58, 0x20]);

/** What a ceremony says, where it is not what the options ask for. */
export interface Ceremony {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly verified?: boolean;
}

interface Options {
  readonly challenge: string;
  readonly rpId?: string;
  readonly rp?: { readonly id: string };
}

/** @param scalar private key of P-256: 0x and 64 hex digits */
export function passkeyOf(scalar: string): KeyObject {
  const pair = createECDH('prime256v1');
  const d = Buffer.from(scalar.slice(2), 'hex');
  pair.setPrivateKey(d);
  const point = pair.getPublicKey();
  const [x, y] = [base64url(point.subarray(1, 33)), base64url(point.subarray(33))];
  return createPrivateKey({ key: { kty: 'EC', crv: 'P-256', d: base64url(d), x, y }, format: 'jwk' });
}

/** A passkey in the place of a device: answers as a browser with an authenticator does (WebAuthn JSON). For worthless keys only. */
export class SoftwarePasskey {
  /** @param counter of signatures; passkeys that are copied between devices keep it at 0 */
  constructor(
    readonly id: string,
    protected readonly privateKey: KeyObject,
    public counter = 0,
  ) {}

  /** `navigator.credentials.create` */
  create({ challenge, rp }: Options, ceremony: Ceremony = {}): Record<string, unknown> {
    const { x = '', y = '' } = this.publicKey.export({ format: 'jwk' });
    const point = (coordinate: string): Buffer => Buffer.concat([WORD, Buffer.from(coordinate, 'base64url')]);
    const cose = Buffer.concat([Buffer.from('a501020326200121', 'hex'), point(x), Buffer.from([0x22]), point(y)]);
    const id = Buffer.from(this.id, 'base64url');
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cose]);
    const authData = Buffer.concat([this.header(ceremony.rpId ?? rp!.id, ceremony, HAS_CREDENTIAL), credential]);
    const attestationObject = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
      Buffer.from([authData.length]),
      authData,
    ]);
    const clientDataJSON = this.clientData('webauthn.create', challenge, ceremony);
    return this.answer({
      clientDataJSON: base64url(clientDataJSON),
      attestationObject: base64url(attestationObject),
      transports: ['internal'],
    });
  }

  /** `navigator.credentials.get` */
  get({ challenge, rpId }: Options, ceremony: Ceremony = {}): Record<string, unknown> {
    if (this.counter > 0) this.counter += 1;
    const authenticatorData = this.header(ceremony.rpId ?? rpId!, ceremony, 0);
    const clientDataJSON = this.clientData('webauthn.get', challenge, ceremony);
    const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientDataJSON)]), this.privateKey);
    return this.answer({
      clientDataJSON: base64url(clientDataJSON),
      authenticatorData: base64url(authenticatorData),
      signature: base64url(signature),
    });
  }

  get publicKey(): KeyObject {
    return createPublicKey(createPrivateKey(this.privateKey.export({ format: 'pem', type: 'pkcs8' })));
  }

  private header(rpId: string, { verified = true }: Ceremony, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(rpId), Buffer.from([PRESENT | (verified ? VERIFIED : 0) | flags]), counter]);
  }

  private clientData(type: string, challenge: string, ceremony: Ceremony): Buffer {
    const { origin = 'http://localhost:3000' } = ceremony;
    return Buffer.from(
      JSON.stringify({ type: ceremony.type ?? type, challenge: ceremony.challenge ?? challenge, origin, crossOrigin: false }),
    );
  }

  private answer(response: Record<string, unknown>): Record<string, unknown> {
    return { id: this.id, rawId: this.id, type: 'public-key', authenticatorAttachment: 'platform', clientExtensionResults: {}, response };
  }
}
