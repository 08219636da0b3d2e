/** What the service runs on, decided once from the environment. Unions, not flags: each engine is one of its kinds. */
export interface Config {
  readonly mode: 'development' | 'production';
  readonly role: 'all' | 'api' | 'worker';
  /** Everything that embedded engines keep, and what the demo writes for programs. */
  readonly dataDir: string;
  readonly http: {
    readonly host: string;
    readonly port: number;
    readonly trustedProxies: number;
    /** Origins whose pages may ask from a browser; `*` any. */
    readonly corsOrigins: readonly string[];
  };
  /** Where Prometheus reads this process; null: nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | null;
  /** To which collector this process sends its traces (OTLP over HTTP); null: it makes none. */
  readonly tracing: TracingConfig | null;
  readonly log: { readonly level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' };
  readonly database: DatabaseConfig;
  readonly queue: { readonly kind: 'database' } | { readonly kind: 'redis'; readonly url: string };
  readonly chain: ChainConfig;
  readonly content: ContentConfig;
  readonly secrets: SecretsConfig;
  readonly tokens: {
    readonly accessSeconds: number;
    readonly refreshIdleSeconds: number;
    readonly refreshMaxSeconds: number;
    readonly issuer: string;
  };
  /** Domains (host, and port where it is not the scheme's own) that a sign-in message may be for, compared exactly. */
  readonly siwe: { readonly domains: readonly string[] };
  readonly mail: {
    /** `console`: into the log, in development only. `none`: nobody is written to. */
    readonly transport:
      | { readonly kind: 'smtp'; readonly url: string; readonly from: string }
      | { readonly kind: 'console' }
      | { readonly kind: 'none' };
    /** Where a one-time link leads, with `{token}` in it; null: the mail holds the bare token. */
    readonly resetUrl: string | null;
  };
  /** Of prepared events: how long they wait to be sent, and how long those stay listed that were not. */
  readonly events: { readonly preparedTtlSeconds: number; readonly expiredKeptSeconds: number };
  readonly webhooks: WebhooksConfig;
  readonly reports: ReportsConfig;
  readonly limits: LimitsConfig;
}

export interface TracingConfig {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** Of the traces that begin here, 0 to 1. */
  readonly ratio: number;
  /** Whether a caller says for its own traces if they are recorded. */
  readonly believesCallers: boolean;
}

export type DatabaseConfig = (
  | { readonly kind: 'embedded' }
  | { readonly kind: 'url'; readonly url: string; readonly migrationUrl: string }
) & {
  readonly poolSize: number;
  /** A statement that takes longer means that the database is away: 503. */
  readonly timeoutMs: number;
};

export interface ChainConfig {
  readonly node: { readonly kind: 'embedded'; readonly port: number | null } | { readonly kind: 'rpc'; readonly urls: readonly string[] };
  readonly chainId: number;
  readonly confirmations: number;
  /** `finalized`: the node's tag says what is final, and the depth where it has no usable one. */
  readonly finality: 'depth' | 'finalized';
  /** Null: the one recorded in the database by `cli contracts deploy`. */
  readonly registry: string | null;
  readonly clientRpcUrl: string | null;
  readonly explorerUrl: string | null;
  readonly pollMs: number;
  readonly timeoutMs: number;
  /** Blocks kept for reorgs; a deeper one stops the indexer. */
  readonly reorgWindow: number;
  /** Unseen for so long, a tracked transaction counts as dropped. */
  readonly dropAfterMs: number;
}

export type ContentConfig =
  | { readonly kind: 'files' }
  | { readonly kind: 'database' }
  | { readonly kind: 'kubo'; readonly url: string; readonly authorization: string | null; readonly timeoutMs: number };

export interface SecretsConfig {
  /** 32 bytes: AES-256-GCM for webhook secrets. Null in development: made once and kept in the data folder. */
  readonly encryptionKey: Buffer | null;
  /** PEM of the ES256 keys that sign tokens, newest first. Null in development: as above. */
  readonly signingKeys: readonly string[] | null;
}

export interface WebhooksConfig {
  /** CIDR ranges that deliveries may reach although they are private. */
  readonly allowedNetworks: readonly string[];
  readonly timeoutMs: number;
  /** Waits before the second, third and fourth attempt. */
  readonly retryDelaysMs: readonly number[];
  readonly jitter: number;
  /** What is read and kept of an answer. */
  readonly responseBytes: number;
  /** Attempts in flight in one process. A tenant has no more of them than it leaves free: half where it is the only one. */
  readonly concurrency: number;
  /** Attempts in flight for one subscription, over all processes. */
  readonly perSubscription: number;
  /** A subscription whose deliveries all failed for this long is paused. */
  readonly pauseAfterMs: number;
  /** How often relay and workers look by themselves, should a wake-up be lost. */
  readonly sweepMs: number;
  /** Deliveries that ended are forgotten after this long. */
  readonly retentionMs: number;
  readonly subscriptionsPerTenant: number;
}

export interface ReportsConfig {
  /** How often the plain questions of large tenants are answered beforehand; 0 = this process answers none beforehand. */
  readonly readyEveryMs: number;
  /** How often the events of large tenants are followed for the sums that their reports stand on; 0 = this process follows none. */
  readonly followEveryMs: number;
  /** Least time between two rounds of the alerts of one tenant; 0 = this process looks for none. */
  readonly alertsEveryMs: number;
  /** Alerts that are over are forgotten after this long, and with them when they were seen first. */
  readonly alertsKeptDays: number;
  readonly pointers: {
    /** Least time between two batches of one tenant; 0 = this process checks none by itself. */
    readonly everyMs: number;
    /** Events, and lots, in one batch. */
    readonly batch: number;
    /** A whole lap begins this long after the one before. */
    readonly lapMs: number;
  };
  /** A language model that words the figures of the alerts: an OpenAI-compatible address. Null: none is asked. */
  readonly narrator: { readonly url: string; readonly model: string; readonly key: string | null; readonly timeoutMs: number } | null;
}

/** Requests and failed logins a minute, and what each tier of tenants may use (api-decisions §2, Tiers). */
export interface LimitsConfig {
  /** Of a principal whose tier says nothing else. */
  readonly requestsPerMinute: number;
  /** Failures. */
  readonly loginsPerAccount: number;
  readonly loginsPerAddress: number;
  /** Public pages, the SIWE nonce among them. */
  readonly publicPerAddress: number;
  /** Bearers and API keys that were refused. */
  readonly refusedPerAddress: number;
  readonly tiers: Readonly<Record<string, TierLimits>>;
}

export interface TierLimits {
  readonly requestsPerMinute: number;
  readonly eventsPerMonth: number;
  readonly storedBytes: number;
  readonly keys: number;
  readonly subscriptions: number;
}
