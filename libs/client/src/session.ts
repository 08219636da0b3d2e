import { createPasskey, usePasskey } from './passkeys.js';
import { TraceabilityClient } from './traceability-client.js';
import type { LoginResult } from './types.js';

/** Signs a text (EIP-191 `personal_sign`): an ethers `Wallet` or an `Eip1193Wallet`. */
export interface MessageSigner {
  readonly address: string;
  signMessage(text: string): Promise<string>;
}

/** Where the user signs in, as the message names it. */
interface Site {
  readonly host: string;
  readonly origin: string;
  readonly chainId: number;
}

/** Called with each new pair of tokens, and with null when the session is over. */
type OnChange = (tokens: LoginResult | null) => void;
/** For a session that is shared, e.g. between tabs. Called before each refresh; returns newer tokens of another tab, or null. It may throw 401 to end the session. */
type Newer = () => Promise<LoginResult | null>;

const ignore = (): void => undefined;
const notShared: Newer = () => Promise.resolve(null);

/**
 * A signed-in user. This object holds the tokens; `onChange` receives each new pair, to store it. `client` renews the access token after a
 * 401 and repeats the request once.
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

  /** Without `tenantId`, a user of several tenants gets a partial session: choose the tenant with `enter`. @throws ApiProblem 401 `invalid_credentials` */
  static async login(
    baseUrl: string,
    credentials: { readonly email: string; readonly password: string; readonly tenantId?: string },
    onChange: OnChange = ignore,
    newer: Newer = notShared,
  ): Promise<Session> {
    // Only these fields are sent, even if the object has more.
    const { email, password, tenantId } = credentials;
    const request = { email, password, ...(tenantId !== undefined && { tenantId }) };
    return new Session(baseUrl, await anonymous(baseUrl).post<LoginResult>('/api/v2/auth/login', request), onChange, newer);
  }

  /**
   * Sign-In with Ethereum (EIP-4361). @param site.tenantId accepts an invitation of this tenant with this wallet
   * @throws ApiProblem 401 for an unknown wallet
   */
  static async signInWithEthereum(
    baseUrl: string,
    wallet: MessageSigner,
    { tenantId, ...site }: Site & { readonly tenantId?: string },
    onChange: OnChange = ignore,
    newer: Newer = notShared,
  ): Promise<Session> {
    const request = { ...(await signedMessage(baseUrl, wallet, site)), ...(tenantId !== undefined && { tenantId }) };
    return new Session(baseUrl, await anonymous(baseUrl).post<LoginResult>('/api/v2/auth/siwe', request), onChange, newer);
  }

  /** With a passkey of this device, in a browser. @throws ApiProblem 401 `passkey_…`; DOMException when the person refuses */
  static async signInWithPasskey(baseUrl: string, onChange: OnChange = ignore, newer: Newer = notShared): Promise<Session> {
    const routes = '/api/v2/auth/passkeys/authentication';
    const response = await usePasskey(await anonymous(baseUrl).post(`${routes}/options`, {}));
    return new Session(baseUrl, await anonymous(baseUrl).post<LoginResult>(`${routes}/verify`, { response }), onChange, newer);
  }

  /** Accepts an invitation with a new passkey of this device, in a browser. @throws ApiProblem 404 `invitation_not_found` */
  static async acceptWithPasskey(
    baseUrl: string,
    { token, name }: { readonly token: string; readonly name: string },
    onChange: OnChange = ignore,
    newer: Newer = notShared,
  ): Promise<Session> {
    const routes = '/api/v2/auth/invitations/passkey';
    const response = await createPasskey(await anonymous(baseUrl).post(`${routes}/options`, { token }));
    const tokens = await anonymous(baseUrl).post<LoginResult>(`${routes}/verify`, { token, response, name });
    return new Session(baseUrl, tokens, onChange, newer);
  }

  /** Continues a session with a stored refresh token. @throws ApiProblem 401 when that session is over */
  static async resume(baseUrl: string, refreshToken: string, onChange: OnChange = ignore, newer: Newer = notShared): Promise<Session> {
    const tokens = (await newer()) ?? (await anonymous(baseUrl).post<LoginResult>('/api/v2/auth/refresh', { refreshToken }));
    return new Session(baseUrl, tokens, onChange, newer);
  }

  /** No tenant is chosen yet. */
  get partial(): boolean {
    return this.tokens.partial;
  }

  /** Chooses the tenant, or changes it. @throws ApiProblem 403 `not_a_member` */
  async enter(tenantId: string): Promise<void> {
    const route = this.partial ? 'select-tenant' : 'switch-tenant';
    this.useTokens(await this.client.post<LoginResult>(`/api/v2/auth/${route}`, { tenantId }));
  }

  /** Confirms the wallet that an administrator proposed for this user. @throws ApiProblem 409 `wallet_not_proposed` */
  async confirmWallet(wallet: MessageSigner, site: Site): Promise<void> {
    await this.client.post('/api/v2/auth/wallet', await signedMessage(this.baseUrl, wallet, site));
  }

  /** Ends the session and all its tokens; locally also when the service does not answer. */
  async end(): Promise<void> {
    await this.client.post('/api/v2/auth/logout').finally(() => this.onChange(null));
  }

  /** Parallel calls share one refresh: a refresh token that is used twice ends the session. */
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
      this.useTokens(renewed);
      // A request of one tenant is never repeated in another.
      return tenantOf(renewed.accessToken) === before;
    } catch (problem) {
      if ((problem as { status?: number }).status !== 401) throw problem;
      this.onChange(null);
      return false;
    }
  }

  /** Uses tokens that another tab with the same session has received: after its refresh, the old refresh token is invalid. */
  useTokens(tokens: LoginResult): void {
    this.tokens = tokens;
    this.onChange(tokens);
  }
}

/** The tenant in the claims of an access token. The claims are not verified. */
export function tenantOf(accessToken: string): string | null {
  try {
    const payload = accessToken.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
    return (JSON.parse(atob(payload)) as { readonly tid?: string }).tid ?? null;
  } catch {
    return null;
  }
}

const anonymous = (baseUrl: string): TraceabilityClient => new TraceabilityClient(baseUrl);

async function signedMessage(baseUrl: string, wallet: MessageSigner, site: Site): Promise<{ message: string; signature: string }> {
  const nonce = await anonymous(baseUrl).get<string>('/api/v2/auth/siwe/nonce');
  const message = siweMessage(wallet.address, site, nonce, new Date());
  return { message, signature: await wallet.signMessage(message) };
}

export function siweMessage(address: string, { host, origin, chainId }: Site, nonce: string, at: Date): string {
  return `${host} wants you to sign in with your Ethereum account:
${address}

Sign in to the Traceability Service.

URI: ${origin}
Version: 1
Chain ID: ${chainId}
Nonce: ${nonce}
Issued At: ${at.toISOString()}`;
}
