import { TraceabilityClient } from './traceability-client.js';
import type { LoginResult } from './types.js';

/** Signs a text (EIP-191 `personal_sign`): an ethers `Wallet` fits, and `Eip1193Wallet`. */
export interface MessageSigner {
  readonly address: string;
  signMessage(text: string): Promise<string>;
}

/** Hears of each new pair; of null when the session is over. */
type OnChange = (tokens: LoginResult | null) => void;
/** Asked before each refresh by whoever shares the session with others: what they were given since, or null. It may throw 401: it is over here. */
type Newer = () => Promise<LoginResult | null>;

const nobody = (): void => undefined;
const alone: Newer = () => Promise.resolve(null);

/**
 * A signed-in person. Tokens live in this object; `onChange` hears of each new pair, for whoever must outlive it.
 * `client` renews the access token by itself after a 401, and asks again once.
 */
export class Session {
  private renewing: Promise<boolean> | null = null;
  readonly client: TraceabilityClient;

  private constructor(
    readonly baseUrl: string,
    private tokens: LoginResult,
    private readonly onChange: OnChange,
    private readonly newer: Newer,
  ) {
    this.client = new TraceabilityClient(baseUrl, { token: () => this.tokens.accessToken, renew: () => this.renew() });
    onChange(tokens);
  }

  /** Without a tenant, a user of several gets a partial session: choose with `enter`. @throws ApiProblem 401 `invalid_credentials` */
  static async login(
    baseUrl: string,
    credentials: { readonly email: string; readonly password: string; readonly tenantId?: string },
    onChange: OnChange = nobody,
    newer: Newer = alone,
  ): Promise<Session> {
    // These alone: whoever has more about a person at hand sends it nowhere.
    const { email, password, tenantId } = credentials;
    const request = { email, password, ...(tenantId !== undefined && { tenantId }) };
    return new Session(baseUrl, await anonymous(baseUrl).post<LoginResult>('/api/v2/auth/login', request), onChange, newer);
  }

  /** Sign-In with Ethereum (EIP-4361). @throws ApiProblem 401 for a wallet that nobody has */
  static async signInWithEthereum(
    baseUrl: string,
    wallet: MessageSigner,
    site: { readonly host: string; readonly origin: string; readonly chainId: number },
    onChange: OnChange = nobody,
    newer: Newer = alone,
  ): Promise<Session> {
    const nonce = await anonymous(baseUrl).get<string>('/api/v2/auth/siwe/nonce');
    const message = siweMessage(wallet.address, site, nonce, new Date());
    const signature = await wallet.signMessage(message);
    return new Session(baseUrl, await anonymous(baseUrl).post<LoginResult>('/api/v2/auth/siwe', { message, signature }), onChange, newer);
  }

  /** Goes on with a refresh token that was kept. @throws ApiProblem 401 when that session is over */
  static async resume(baseUrl: string, refreshToken: string, onChange: OnChange = nobody, newer: Newer = alone): Promise<Session> {
    const tokens = (await newer()) ?? (await anonymous(baseUrl).post<LoginResult>('/api/v2/auth/refresh', { refreshToken }));
    return new Session(baseUrl, tokens, onChange, newer);
  }

  /** No tenant was chosen yet. */
  get partial(): boolean {
    return this.tokens.partial;
  }

  /** Chooses the tenant, or changes it. @throws ApiProblem 403 `not_a_member` */
  async enter(tenantId: string): Promise<void> {
    const road = this.partial ? 'select-tenant' : 'switch-tenant';
    this.take(await this.client.post<LoginResult>(`/api/v2/auth/${road}`, { tenantId }));
  }

  /** Ends the session and all its tokens, here also when the service cannot be told. */
  async end(): Promise<void> {
    await this.client.post('/api/v2/auth/logout').finally(() => this.onChange(null));
  }

  /** One refresh for all who ask at once: a refresh token that is used twice ends the session. */
  private renew(): Promise<boolean> {
    this.renewing ??= this.refresh().finally(() => {
      this.renewing = null;
    });
    return this.renewing;
  }

  private async refresh(): Promise<boolean> {
    try {
      const newer = await this.newer();
      const { refreshToken } = this.tokens;
      const renewed = newer ?? (await anonymous(this.baseUrl).post<LoginResult>('/api/v2/auth/refresh', { refreshToken }));
      const before = tenantOf(this.tokens.accessToken) ?? tenantOf(renewed.accessToken);
      this.take(renewed);
      // What was asked in one tenant is never asked again in another.
      return tenantOf(renewed.accessToken) === before;
    } catch (problem) {
      if ((problem as { status?: number }).status !== 401) throw problem;
      this.onChange(null);
      return false;
    }
  }

  /** Takes what another holder of the same session was given: their refresh made this one's token the one before. */
  take(tokens: LoginResult): void {
    this.tokens = tokens;
    this.onChange(tokens);
  }
}

/** The tenant that an access token is for, by its claims as they stand; whether they are true is the service's to say. */
export function tenantOf(accessToken: string): string | null {
  try {
    const claims = accessToken.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
    return (JSON.parse(atob(claims)) as { readonly tid?: string }).tid ?? null;
  } catch {
    return null;
  }
}

const anonymous = (baseUrl: string): TraceabilityClient => new TraceabilityClient(baseUrl);

export function siweMessage(
  address: string,
  { host, origin, chainId }: { readonly host: string; readonly origin: string; readonly chainId: number },
  nonce: string,
  at: Date,
): string {
  return `${host} wants you to sign in with your Ethereum account:
${address}

Sign in to the Traceability Service.

URI: ${origin}
Version: 1
Chain ID: ${chainId}
Nonce: ${nonce}
Issued At: ${at.toISOString()}`;
}
