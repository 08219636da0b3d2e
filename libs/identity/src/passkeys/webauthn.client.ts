import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type * as Library from '@simplewebauthn/server';
import type * as Helpers from '@simplewebauthn/server/helpers';
import { passkeyInvalid, passkeyNotVerified, passkeyUnsupported, passkeyWrongDomain, passkeyWrongOrigin } from '../errors.js';
import { IdentitySettings } from '../identity.settings.js';
import type { AuthenticatorAnswer, CredentialKey, Passkey } from './passkey.js';

/** Loaded by the first passkey: a start needs none. */
const library = (): Promise<typeof Library> => import('@simplewebauthn/server');
const helpers = (): Promise<typeof Helpers> => import('@simplewebauthn/server/helpers');

const ES256 = -7;
const P256 = 1;
/** In the authenticator's data: present and verified. */
const FLAGS = 0x05;

export interface NewCredential {
  readonly key: CredentialKey;
  readonly signCount: number;
  readonly backedUp: boolean;
  readonly transports: readonly string[];
}

/** @simplewebauthn/server verifies; what it refuses with a sentence is refused here with a code, as far as it can be told apart. */
@Injectable()
export class WebauthnClient {
  constructor(@Inject(IdentitySettings) private readonly settings: Pick<IdentitySettings, 'passkeys'>) {}

  /** For `navigator.credentials.create`. */
  async registrationOptions(of: {
    readonly challenge: string;
    readonly userHandle: Buffer;
    readonly name: string;
    readonly known: readonly Passkey[];
  }): Promise<object> {
    const { generateRegistrationOptions } = await library();
    const { challenge, ...options } = await generateRegistrationOptions({
      rpName: 'Traceability',
      rpID: this.settings.passkeys.rpId,
      userName: of.name,
      userID: new Uint8Array(of.userHandle),
      challenge: new Uint8Array(Buffer.from(of.challenge, 'base64url')),
      attestationType: 'none',
      supportedAlgorithmIDs: [ES256],
      excludeCredentials: of.known.map(({ id, transports }) => ({
        id,
        transports: [...transports] as Library.AuthenticatorTransport[],
      })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    return { ...options, challenge };
  }

  /** For `navigator.credentials.get`: the device offers the passkeys that it has for this domain. */
  authenticationOptions(challenge: string): object {
    return { challenge, rpId: this.settings.passkeys.rpId, userVerification: 'required', timeout: 60_000, allowCredentials: [] };
  }

  /** @throws DomainError 401 `passkey_wrong_origin`, `passkey_wrong_domain`, `passkey_not_verified`, `passkey_invalid`, 422 `passkey_unsupported` */
  async verifyRegistration({ clientData, json }: AuthenticatorAnswer): Promise<NewCredential> {
    this.requirePage(clientData.type, 'webauthn.create', clientData.origin);
    const { verifyRegistrationResponse } = await library();
    const { rpId, origins } = this.settings.passkeys;
    const verified = await verifyRegistrationResponse({
      response: json as Library.RegistrationResponseJSON,
      expectedChallenge: clientData.challenge,
      expectedOrigin: [...origins],
      expectedRPID: rpId,
      supportedAlgorithmIDs: [ES256],
    }).catch(refuseRegistration);
    if (!verified.verified) throw passkeyInvalid();
    const { credential, credentialBackedUp } = verified.registrationInfo;
    const { id: _id, publicKey, counter, transports = [] } = credential;
    return { key: { publicKey, ...(await pointOf(publicKey)), rpId }, signCount: counter, backedUp: credentialBackedUp, transports };
  }

  /** @returns the signature counter @throws DomainError 401 `passkey_…` */
  async verifyAuthentication(
    { clientData, json }: AuthenticatorAnswer,
    passkey: Passkey,
  ): Promise<{ signCount: number; backedUp: boolean }> {
    this.requirePage(clientData.type, 'webauthn.get', clientData.origin);
    requireUser(json, passkey.key.rpId);
    const { verifyAuthenticationResponse } = await library();
    const { origins } = this.settings.passkeys;
    const verified = await verifyAuthenticationResponse({
      response: json as Library.AuthenticationResponseJSON,
      expectedChallenge: clientData.challenge,
      expectedOrigin: [...origins],
      expectedRPID: passkey.key.rpId,
      // Its own check of the counter has no code; ours follows.
      credential: { id: passkey.id, publicKey: new Uint8Array(passkey.key.publicKey), counter: 0 },
    }).catch(() => null);
    if (!verified?.verified) throw passkeyInvalid();
    const { newCounter, credentialBackedUp } = verified.authenticationInfo;
    return { signCount: newCounter, backedUp: credentialBackedUp };
  }

  private requirePage(type: string, expected: string, origin: string): void {
    if (type !== expected) throw passkeyInvalid();
    if (!this.settings.passkeys.origins.includes(origin)) throw passkeyWrongOrigin();
  }
}

/** The first 33 bytes of the authenticator's data: for which domain, and whether its user was there. */
function requireUser(json: unknown, rpId: string): void {
  const { authenticatorData } = (json as { response: Record<string, unknown> }).response;
  if (typeof authenticatorData !== 'string') throw passkeyInvalid();
  const data = Buffer.from(authenticatorData, 'base64url');
  if (data.length < 37) throw passkeyInvalid();
  if (!data.subarray(0, 32).equals(createHash('sha256').update(rpId).digest())) throw passkeyWrongDomain();
  if ((data[32]! & FLAGS) !== FLAGS) throw passkeyNotVerified();
}

function refuseRegistration(error: unknown): never {
  const why = error instanceof Error ? error.message : '';
  if (/RP ID/.test(why)) throw passkeyWrongDomain();
  if (/user (presence|verification|not present|could not be verified)/i.test(why)) throw passkeyNotVerified();
  if (/algorithm|alg /i.test(why)) throw passkeyUnsupported();
  throw passkeyInvalid();
}

async function pointOf(publicKey: Uint8Array): Promise<{ readonly x: string; readonly y: string }> {
  const { cose, decodeCredentialPublicKey } = await helpers();
  const key = decodeCredentialPublicKey(new Uint8Array(publicKey));
  if (!cose.isCOSEPublicKeyEC2(key) || Number(key.get(cose.COSEKEYS.crv)) !== P256) throw passkeyUnsupported();
  const word = (bytes: Uint8Array | undefined): string =>
    `0x${Buffer.from(bytes ?? [])
      .toString('hex')
      .padStart(64, '0')}`;
  return { x: word(key.get(cose.COSEKEYS.x)), y: word(key.get(cose.COSEKEYS.y)) };
}
