import type { Config } from '#config';

/** The configuration of identity. A class, because it is also an injection token. */
export class IdentitySettings {
  readonly chainId: number;
  readonly issuer: string;
  readonly accessSeconds: number;
  readonly sessions: { readonly idleSeconds: number; readonly maxSeconds: number };
  /** Domains that a SIWE message may name. */
  readonly siweDomains: readonly string[];
  /** Of passkeys: the domain that they are made for, and the origins of the pages that may ask for them. */
  readonly passkeys: { readonly rpId: string; readonly origins: readonly string[] };
  /** `resetUrl`: the page of a one-time link, with `{token}` in it. */
  readonly mail: Config['mail'];
  /** Invitations and links for passwords to one mailbox, over all tenants. */
  readonly mailsPerDay: number;
  /** Origin of the portal in mails; null in production where it is not configured: nobody knows the host. */
  readonly portalOrigin: string | null;
  /** Names of the tiers that tenants may have. */
  readonly tiers: readonly string[];
  /** PEM of ES256 keys, the signing one first. */
  readonly signingKeys: readonly string[];
  /** 32 bytes; refresh tokens are keyed with one derived from it. */
  readonly encryptionKey: Buffer;

  /** @throws Error when secrets are missing: the runtime creates them in development, the configuration requires them in production */
  constructor(config: Pick<Config, 'mode' | 'tokens' | 'secrets' | 'chain' | 'siwe' | 'mail' | 'limits' | 'http'>) {
    const { signingKeys, encryptionKey } = config.secrets;
    if (!signingKeys?.length || !encryptionKey) throw new Error('identity needs signing keys and an encryption key');
    this.chainId = config.chain.chainId;
    this.issuer = config.tokens.issuer;
    this.accessSeconds = config.tokens.accessSeconds;
    this.sessions = { idleSeconds: config.tokens.refreshIdleSeconds, maxSeconds: config.tokens.refreshMaxSeconds };
    this.siweDomains = config.siwe.domains;
    this.passkeys = passkeyPolicy(config.siwe.domains, config.http.publicUrl);
    this.mail = config.mail;
    this.mailsPerDay = config.limits.mailsPerDay;
    this.portalOrigin = config.http.publicUrl ?? (config.mode === 'development' ? `http://localhost:${config.http.port}` : null);
    this.tiers = Object.keys(config.limits.tiers);
    this.signingKeys = signingKeys;
    this.encryptionKey = encryptionKey;
  }
}

/** Browsers have passkeys for names only, and without TLS for `localhost` only. */
function passkeyPolicy(domains: readonly string[], publicUrl: string | null): IdentitySettings['passkeys'] {
  const names = domains.filter((domain) => !/^[\d.]+(:\d+)?$|^\[/.test(domain));
  const isLocal = (domain: string): boolean => /^localhost(:\d+)?$/.test(domain);
  const origins = names.map((domain) => `${isLocal(domain) ? 'http' : 'https'}://${domain}`);
  const own = new URL(publicUrl ?? origins[0] ?? 'http://localhost');
  return { rpId: own.hostname, origins: [...new Set([...origins, ...(publicUrl === null ? [] : [own.origin])])] };
}
