import type { Config } from '#config';

/** What identity takes from the configuration. A class, because it is an injection token too. */
export class IdentitySettings {
  readonly chainId: number;
  readonly issuer: string;
  readonly accessSeconds: number;
  readonly sessions: { readonly idleSeconds: number; readonly maxSeconds: number };
  /** Domains that a SIWE message may be for. */
  readonly siweDomains: readonly string[];
  /** `resetUrl`: the page of a one-time link, with `{token}` in it. */
  readonly mail: Config['mail'];
  /** Names of the tiers that tenants may have. */
  readonly tiers: readonly string[];
  /** PEM of ES256 keys, the signing one first. */
  readonly signingKeys: readonly string[];
  /** 32 bytes; refresh tokens are keyed with one derived from it. */
  readonly encryptionKey: Buffer;

  /** @throws Error where secrets are missing: the runtime makes them in development, the configuration refuses in production */
  constructor(config: Pick<Config, 'tokens' | 'secrets' | 'chain' | 'siwe' | 'mail' | 'limits'>) {
    const { signingKeys, encryptionKey } = config.secrets;
    if (!signingKeys?.length || !encryptionKey) throw new Error('identity needs signing keys and an encryption key');
    this.chainId = config.chain.chainId;
    this.issuer = config.tokens.issuer;
    this.accessSeconds = config.tokens.accessSeconds;
    this.sessions = { idleSeconds: config.tokens.refreshIdleSeconds, maxSeconds: config.tokens.refreshMaxSeconds };
    this.siweDomains = config.siwe.domains;
    this.mail = config.mail;
    this.tiers = Object.keys(config.limits.tiers);
    this.signingKeys = signingKeys;
    this.encryptionKey = encryptionKey;
  }
}
