import {
  AbiCoder,
  Interface,
  TypedDataEncoder,
  concat,
  getBytes,
  hashMessage,
  hexlify,
  keccak256,
  sha256,
  toBeHex,
  toUtf8Bytes,
} from 'ethers';
import { usePasskey } from './passkeys.js';

/** A key of a PasskeyAccount: a point of P-256, and the SHA-256 of the domain of the passkey. 0x and 64 hex digits each. */
export interface PasskeyKey {
  readonly x: string;
  readonly y: string;
  readonly rpIdHash: string;
}

export interface PasskeyCall {
  readonly to: string;
  readonly data: string;
}

/** The place of a batch: the next sequence of one of the key's lanes (0 to 6), valid until `deadline` (seconds since 1970, at most 10 minutes ahead). */
export interface PasskeyPlace {
  readonly lane: number;
  readonly sequence: number | bigint;
  readonly deadline: number;
}

export interface PasskeyAccountOf {
  /** Of the account, EIP-55. */
  readonly address: string;
  readonly chainId: number;
  readonly key: PasskeyKey;
  /** Of an account that may not be deployed yet: the factory that makes it, and from what. Then it signs in all the same (ERC-6492). */
  readonly madeBy?: { readonly factory: string; readonly config: PasskeyAccountConfig };
  /** Of the passkey, base64url; without it the device offers all that it has for the domain. */
  readonly credentialId?: string;
}

/** What an account is made from; its address follows from it. */
export interface PasskeyAccountConfig {
  readonly salt: string;
  readonly guarded: boolean;
  readonly keys: readonly PasskeyKey[];
}

interface Assertion {
  readonly response: { readonly clientDataJSON: string; readonly authenticatorData: string; readonly signature: string };
}

/** Asks an authenticator: `usePasskey` in a browser. */
export type AskPasskey = (options: { readonly publicKey: Record<string, unknown> }) => Promise<Record<string, unknown>>;

/** Not made before it is needed: a page that signs nothing does without ethers. */
const account = (): Interface =>
  new Interface([
    'function execute(tuple(bytes32 x, bytes32 y) point, uint256 lane, uint256 sequence, uint256 deadline, tuple(address to, bytes data)[] calls, bytes assertion)',
    'function deploy(tuple(bytes32 salt, bool guarded, tuple(bytes32 x, bytes32 y, bytes32 rpIdHash)[] keys) config)',
  ]);
const CALLS = {
  Execute: ['bytes32 keyId', 'uint256 lane', 'uint256 sequence', 'uint256 deadline', 'Call[] calls'],
  Call: ['address to', 'bytes data'],
};
/** ERC-6492: ends the signature of an account that may not be deployed yet. */
const UNDEPLOYED = `0x${'6492'.repeat(16)}`;
const MESSAGE = { Message: ['bytes32 hash'] };
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/**
 * Signs calls with a passkey, for a PasskeyAccount of the service's contracts. Anybody may send the result. What is signed is computed here,
 * from the calls that the caller shows to the person: nothing that the service says is signed unseen.
 */
export class PasskeySigner {
  private readonly domain: {
    readonly name: string;
    readonly version: string;
    readonly chainId: number;
    readonly verifyingContract: string;
  };

  constructor(
    private readonly of: PasskeyAccountOf,
    private readonly ask: AskPasskey = usePasskey,
  ) {
    this.domain = { name: 'PasskeyAccount', version: '1', chainId: of.chainId, verifyingContract: of.address };
  }

  get address(): string {
    return this.of.address;
  }

  /** The key's name in calls and logs of the account. */
  get keyId(): string {
    const { x, y, rpIdHash } = this.of.key;
    return keccak256(concat([x, y, rpIdHash]));
  }

  /** What the passkey signs for these calls: 32 bytes. */
  digestOf(calls: readonly PasskeyCall[], place: PasskeyPlace): string {
    const message = { keyId: this.keyId, ...place, calls: calls.map(({ to, data }) => ({ to, data })) };
    return TypedDataEncoder.hash(this.domain, typed(CALLS), message);
  }

  /** @returns calldata for the account; all of the calls are done, or none @throws Error when the answer is for something else */
  async signCalls(calls: readonly PasskeyCall[], place: PasskeyPlace): Promise<string> {
    const { x, y } = this.of.key;
    const assertion = await this.sign(this.digestOf(calls, place));
    const { lane, sequence, deadline } = place;
    return account().encodeFunctionData('execute', [
      { x, y },
      lane,
      sequence,
      deadline,
      calls.map(({ to, data }) => ({ to, data })),
      assertion,
    ]);
  }

  /** Signs a text for this account and chain (ERC-1271), such as the message of a sign-in. */
  async signMessage(text: string): Promise<string> {
    const { x, y } = this.of.key;
    const assertion = await this.sign(TypedDataEncoder.hash(this.domain, typed(MESSAGE), { hash: hashMessage(text) }));
    const signature = concat([x, y, assertion]);
    const { madeBy } = this.of;
    if (!madeBy) return signature;
    const deploying = account().encodeFunctionData('deploy', [madeBy.config]);
    return concat([AbiCoder.defaultAbiCoder().encode(['address', 'bytes', 'bytes'], [madeBy.factory, deploying, signature]), UNDEPLOYED]);
  }

  /** The passkey's answer for these calls, for a service that sends them: `PasskeyRelay`. @throws Error when the answer is for something else */
  async assertCalls(calls: readonly PasskeyCall[], place: PasskeyPlace): Promise<Record<string, unknown>> {
    return (await this.answer(this.digestOf(calls, place))).answer;
  }

  /** @returns the assertion in the compact form that the account takes */
  private async sign(digest: string): Promise<string> {
    const { response, authenticatorData, challengeIndex, typeIndex } = await this.answer(digest);
    const { r, s } = lowSignature(bytesOf(response.signature));
    const short = (value: number): string => toBeHex(value, 2);
    const given = [authenticatorData, bytesOf(response.clientDataJSON)];
    return concat([short(authenticatorData.length), ...given, short(challengeIndex), short(typeIndex), r, s]);
  }

  private async answer(digest: string) {
    const { key, credentialId: id } = this.of;
    const challenge = base64url(getBytes(digest));
    const allowCredentials = id === undefined ? [] : [{ id, type: 'public-key' }];
    const answer = await this.ask({ publicKey: { challenge, userVerification: 'required', timeout: 60_000, allowCredentials } });
    const { response } = answer as unknown as Assertion;
    // A letter a byte: the account counts in bytes.
    const clientData = lettersOf(response.clientDataJSON);
    const authenticatorData = bytesOf(response.authenticatorData);
    const typeIndex = clientData.indexOf('"type":"webauthn.get"');
    const challengeIndex = clientData.indexOf(`"challenge":"${challenge}"`);
    if (typeIndex < 0 || challengeIndex < 0) throw new Error('The passkey signed something else.');
    if (hexlify(authenticatorData.subarray(0, 32)) !== key.rpIdHash.toLowerCase())
      throw new Error('The passkey signed for another domain.');
    return { answer, response, authenticatorData, challengeIndex, typeIndex };
  }
}

/** The hash of a domain, as a key has it. */
export const rpIdHashOf = (domain: string): string => sha256(toUtf8Bytes(domain));

const typed = (types: Record<string, readonly string[]>) =>
  Object.fromEntries(
    Object.entries(types).map(([name, members]) => [
      name,
      members.map((member) => ({ type: member.split(' ')[0]!, name: member.split(' ')[1]! })),
    ]),
  );

/** An authenticator answers in DER, with either of the two signatures that there are; the account takes the one with the low `s`. */
function lowSignature(der: Uint8Array): { readonly r: string; readonly s: string } {
  const lengthOfR = der[3] ?? 0;
  const integer = (from: number, length: number): bigint => BigInt(hexlify(der.subarray(from, from + length)));
  if (der[0] !== 0x30 || der[2] !== 2 || der[4 + lengthOfR] !== 2) throw new Error('This is no signature of P-256.');
  const r = integer(4, lengthOfR);
  const s = integer(6 + lengthOfR, der[5 + lengthOfR] ?? 0);
  return { r: toBeHex(r, 32), s: toBeHex(s > ORDER / 2n ? ORDER - s : s, 32) };
}

const lettersOf = (text: string): string => atob(text.replaceAll('-', '+').replaceAll('_', '/'));
const bytesOf = (text: string): Uint8Array => Uint8Array.from(lettersOf(text), (letter) => letter.charCodeAt(0));
const base64url = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
