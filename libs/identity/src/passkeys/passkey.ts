/** A passkey (WebAuthn credential on P-256) of a person in one tenant. */
export interface Passkey {
  /** Of the credential, base64url. */
  readonly id: string;
  readonly tenantId: string;
  readonly userId: string;
  readonly name: string;
  readonly key: CredentialKey;
  readonly signCount: number;
  /** Copied by its maker's cloud, so that it survives the device. */
  readonly backedUp: boolean;
  readonly transports: readonly string[];
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

export interface CredentialKey {
  /** COSE. */
  readonly publicKey: Uint8Array;
  /** The point: 0x and 64 hex digits each. */
  readonly x: string;
  readonly y: string;
  readonly rpId: string;
}

/** The answer of an authenticator, as browsers and libraries write it (WebAuthn Level 3, `toJSON`). */
export interface AuthenticatorAnswer {
  readonly id: string;
  readonly clientData: ClientData;
  /** As it came, for the library that verifies it. */
  readonly json: unknown;
}

/** What the browser says about the page and the request. */
export interface ClientData {
  readonly type: string;
  /** Base64url. */
  readonly challenge: string;
  readonly origin: string;
}

/** A PasskeyAccount of the contracts has room for so many. */
export const MOST_PASSKEYS = 20;
export const CHALLENGE_TTL_MS = 5 * 60_000;
/** What signs a batch of calls has 32 bytes: no sign-in can be one. */
export const CHALLENGE_BYTES = 48;
/** Without a password, only who has just signed in adds a passkey. */
export const RECENT_SIGN_IN_MS = 10 * 60_000;

/** Synced passkeys always send 0. Any other counter must grow, or somebody has used a copy. */
export const wentBack = (before: number, now: number): boolean => (before > 0 || now > 0) && now <= before;

const MAX_ANSWER_BYTES = 16_384;
const isText = (value: unknown): value is string => typeof value === 'string' && value.length > 0;
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** @returns null for anything that is not the answer of an authenticator */
export function readAnswer(json: unknown): AuthenticatorAnswer | null {
  if (!isRecord(json) || JSON.stringify(json).length > MAX_ANSWER_BYTES) return null;
  const { id, rawId, type, response } = json;
  if (!isText(id) || id !== rawId || id.length > 1_400 || type !== 'public-key' || !isRecord(response)) return null;
  const clientData = isText(response['clientDataJSON']) ? readClientData(response['clientDataJSON']) : null;
  return clientData && { id, clientData, json: { clientExtensionResults: {}, ...json } };
}

function readClientData(encoded: string): ClientData | null {
  try {
    const data: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString());
    if (!isRecord(data)) return null;
    const { type, challenge, origin } = data;
    return isText(type) && isText(challenge) && isText(origin) ? { type, challenge, origin } : null;
  } catch {
    return null;
  }
}
