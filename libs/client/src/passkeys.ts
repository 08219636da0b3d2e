import type { TraceabilityClient } from './traceability-client.js';

/** WebAuthn JSON, as the service sends and takes it. */
type Json = Record<string, unknown>;
interface PublicKeyOptions {
  readonly publicKey: Json;
}

/** Whether this browser has passkeys: it has them on pages with TLS and on `localhost`. */
export const hasPasskeys = (): boolean => typeof PublicKeyCredential === 'function';

/** A new passkey of this device. @throws DOMException when the person or the device refuses */
export async function createPasskey({ publicKey }: PublicKeyOptions): Promise<Json> {
  const user = publicKey['user'] as Json;
  const made = await navigator.credentials.create({
    publicKey: {
      ...publicKey,
      challenge: bytesOf(publicKey['challenge']),
      user: { ...user, id: bytesOf(user['id']) },
      excludeCredentials: described(publicKey['excludeCredentials']),
    } as unknown as PublicKeyCredentialCreationOptions,
  });
  const { response, ...credential } = credentialOf(made);
  const { clientDataJSON, attestationObject } = response as AuthenticatorAttestationResponse;
  const transports = (response as Partial<AuthenticatorAttestationResponse>).getTransports?.() ?? [];
  return { ...credential, response: { clientDataJSON: textOf(clientDataJSON), attestationObject: textOf(attestationObject), transports } };
}

/** The answer of a passkey that the person chooses. @throws DOMException when the person or the device refuses */
export async function usePasskey({ publicKey }: PublicKeyOptions): Promise<Json> {
  const used = await navigator.credentials.get({
    publicKey: {
      ...publicKey,
      challenge: bytesOf(publicKey['challenge']),
      allowCredentials: described(publicKey['allowCredentials']),
    } as unknown as PublicKeyCredentialRequestOptions,
  });
  const { response, ...credential } = credentialOf(used);
  const { clientDataJSON, authenticatorData, signature } = response as AuthenticatorAssertionResponse;
  const parts = { clientDataJSON, authenticatorData, signature };
  return { ...credential, response: Object.fromEntries(Object.entries(parts).map(([name, bytes]) => [name, textOf(bytes)])) };
}

/** Adds a passkey of this device to the person who is signed in. @param password of who has one @returns its id */
export async function addPasskey(client: TraceabilityClient, name: string, password?: string): Promise<string> {
  const options = await client.post<PublicKeyOptions>('/api/v2/auth/passkeys/registration/options', {
    ...(password !== undefined && { password }),
  });
  const response = await createPasskey(options);
  return (await client.post<{ id: string }>('/api/v2/auth/passkeys/registration/verify', { response, name })).id;
}

function credentialOf(credential: Credential | null) {
  if (!credential) throw new Error('The browser made no passkey.');
  const { id, type, response } = credential as PublicKeyCredential;
  return { id, rawId: id, type, clientExtensionResults: {}, response };
}

const described = (credentials: unknown): object[] =>
  ((credentials ?? []) as Json[]).map((one) => ({ ...one, type: 'public-key', id: bytesOf(one['id']) }));

function bytesOf(text: unknown): Uint8Array {
  const base64 = String(text).replaceAll('-', '+').replaceAll('_', '/');
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

function textOf(bytes: ArrayBuffer): string {
  const letters = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('');
  return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
