import type { RetentionConfig } from './retention.js';

/** Configuration of the service, read once from the environment. Each engine is a union of its kinds, not a set of flags. */
export interface Config {
  readonly mode: 'development' | 'production';
  readonly role: 'all' | 'api' | 'worker' | 'sponsor';
  /** Folder of the embedded engines' data, and of the files that the demo writes for programs. */
  readonly dataDir: string;
  readonly http: {
    readonly host: string;
    readonly port: number;
    readonly trustedProxies: number;
    /** Origins whose pages may call the API from a browser; `*` for any. */
    readonly corsOrigins: readonly string[];
    /** Origin of the service as its clients see it, for links; null: the address of each request. */
    readonly publicUrl: string | null;
  };
  /** Where Prometheus scrapes this process; null: metrics are off. */
  readonly metrics: { readonly host: string; readonly port: number } | null;
  /** The collector of this process's traces (OTLP over HTTP); null: tracing is off. */
  readonly tracing: TracingConfig | null;
  readonly log: { readonly level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' };
  readonly database: DatabaseConfig;
  readonly queue: { readonly kind: 'database' } | { readonly kind: 'redis'; readonly url: string };
  readonly chain: ChainConfig;
  readonly sponsor: SponsorConfig;
  readonly content: ContentConfig;
  readonly secrets: SecretsConfig;
  readonly tokens: {
    readonly accessSeconds: number;
    readonly refreshIdleSeconds: number;
    readonly refreshMaxSeconds: number;
    readonly issuer: string;
  };
  /** Domains (host, and port if it is not the default one) that a sign-in message may have, compared exactly. */
  readonly siwe: { readonly domains: readonly string[] };
  readonly mail: {
    /** `console`: mails are written to the log, in development only. `none`: no mail is sent. */
    readonly transport:
      | { readonly kind: 'smtp'; readonly url: string; readonly from: string }
      | { readonly kind: 'console' }
      | { readonly kind: 'none' };
    /** Target of a one-time link, with `{token}` in it; null: the mail contains the bare token. */
    readonly resetUrl: string | null;
  };
  /** Where the virus scanner listens, for uploaded documents; null: they are not scanned. */
  readonly documents: { readonly clamdUrl: string | null };
  /** How long a prepared event can be sent. */
  readonly events: { readonly preparedTtlSeconds: number };
  readonly retention: RetentionConfig;
  /** Folder of the erasure log and of the keys of backups, and for how long backups can be read. */
  readonly erasure: { readonly folder: string; readonly backupsKeptMs: number };
  /** Threads that run the schemas of tenants (0: by the number of processors), and their deadlines. */
  readonly schemas: { readonly threads: number; readonly checkMs: number; readonly validationMs: number };
  readonly webhooks: WebhooksConfig;
  readonly reports: ReportsConfig;
  readonly limits: LimitsConfig;
}

export interface TracingConfig {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** Share of the traces that start here and are recorded, 0 to 1. */
  readonly ratio: number;
  /** Whether the caller's `traceparent` decides if its trace is recorded. */
  readonly believesCallers: boolean;
}

export type DatabaseConfig = (
  | { readonly kind: 'embedded' }
  | {
      readonly kind: 'url';
      readonly url: string;
      /** `transaction`: what is behind `url` may give each transaction another connection, as PgBouncer does in this mode. */
      readonly pooler: 'none' | 'transaction';
      /** Without a pooler: what a connection has to keep, such as LISTEN and locks of a session. */
      readonly directUrl: string;
      readonly migrationUrl: string;
    }
) & {
  readonly poolSize: number;
  /** After this time the database counts as unavailable: 503. */
  readonly timeoutMs: number;
};

export interface ChainConfig {
  readonly node: { readonly kind: 'embedded'; readonly port: number | null } | { readonly kind: 'rpc'; readonly urls: readonly string[] };
  readonly chainId: number;
  readonly confirmations: number;
  /** `finalized`: by the node's tag, or by depth when the node has no usable tag. */
  readonly finality: 'depth' | 'finalized';
  /** Null: the one recorded in the database by `cli contracts deploy`. */
  readonly registry: string | null;
  /** Of the contract that makes passkey accounts. Null: the newest one recorded in the database. */
  readonly accountFactory: string | null;
  readonly clientRpcUrl: string | null;
  readonly explorerUrl: string | null;
  readonly pollMs: number;
  readonly timeoutMs: number;
  /** Blocks kept for reorgs; a deeper one stops the indexer. */
  readonly reorgWindow: number;
  /** A tracked transaction that no node has seen for this time counts as dropped. */
  readonly dropAfterMs: number;
  /** How many tracked hashes of a tenant may be open that no node has seen. */
  readonly neverSeenPerTenant: number;
}

export interface SponsorConfig {
  /** What signs the transactions that the sponsor sends; `none`: this process sends nothing. */
  readonly signer:
    | { readonly kind: 'none' }
    | { readonly kind: 'local'; readonly key: string }
    | { readonly kind: 'pkcs11'; readonly module: string; readonly token: string; readonly label: string; readonly pin: string };
  /** Most that a tenant's relayed calls may cost a day, where the platform administrator set no other ceiling. */
  readonly weiPerDay: bigint;
  /** Of one member. */
  readonly relaysPerHour: number;
  /** A transaction that no block has after this time is sent again with higher fees. */
  readonly replaceAfterMs: number;
}

export type ContentConfig =
  | { readonly kind: 'files' }
  | { readonly kind: 'database' }
  | { readonly kind: 'kubo'; readonly url: string; readonly authorization: string | null; readonly timeoutMs: number };

export interface SecretsConfig {
  /** 32 bytes that encrypt webhook secrets and keys of contents. Null in development: generated once and stored in the data folder. */
  readonly encryptionKey: Buffer | null;
  /** Encryption keys of before: they decrypt, and encrypt nothing any more. */
  readonly retiredEncryptionKeys: readonly Buffer[];
  /** ES256 keys that sign tokens, PEM, newest first. Null in development: generated like the encryption key. */
  readonly signingKeys: readonly string[] | null;
}

export interface WebhooksConfig {
  /** Private CIDR ranges to which deliveries are allowed. */
  readonly allowedNetworks: readonly string[];
  readonly timeoutMs: number;
  /** Waits before the second, third and fourth attempt. */
  readonly retryDelaysMs: readonly number[];
  readonly jitter: number;
  /** Maximum part of a response that is read and stored. */
  readonly responseBytes: number;
  /** Parallel attempts in one process. One tenant may use as many as are left free: half if it is the only one. */
  readonly concurrency: number;
  /** Parallel attempts for one subscription, over all processes. */
  readonly perSubscription: number;
  /** A subscription whose deliveries all failed for this long is paused. */
  readonly pauseAfterMs: number;
  /** How often relay and workers poll, in case a notification was lost. */
  readonly pollMs: number;
  readonly subscriptionsPerTenant: number;
}

export interface ReportsConfig {
  /** How often reports of large tenants are precomputed; 0: not by this process. */
  readonly readyEveryMs: number;
  /** How often new events of large tenants are added to the totals of their reports; 0: not by this process. */
  readonly followEveryMs: number;
  /** Minimum time between two evaluations of one tenant's alerts; 0: not by this process. */
  readonly alertsEveryMs: number;
  /** Between two looks for notices and mails; 0: none. */
  readonly noticesEveryMs: number;
  /** Between two mails with notices to one person. */
  readonly noticeMailsEveryMs: number;
  readonly pointers: {
    /** Minimum time between two batches of one tenant; 0: not by this process. */
    readonly everyMs: number;
    /** Events, and lots, per batch. */
    readonly batch: number;
    /** Time from the start of one complete round of checks to the next. */
    readonly lapMs: number;
  };
  /** OpenAI-compatible URL of a language model that summarises the alerts. Null: no model is used. */
  readonly narrator: { readonly url: string; readonly model: string; readonly key: string | null; readonly timeoutMs: number } | null;
}

/** Requests and failed logins per minute, and the limits of each tier of tenants (docs/spec/api.md#identity, Tiers). */
export interface LimitsConfig {
  /** For a principal whose tier has no limit of its own. */
  readonly requestsPerMinute: number;
  /** Failed logins. */
  readonly loginsPerAccount: number;
  readonly loginsPerAddress: number;
  /** Requests to public pages, including the SIWE nonce. */
  readonly publicPerAddress: number;
  /** Links of a tenant's own, behind GS1 Digital Links. */
  readonly linksPerTenant: number;
  /** Bearer tokens and API keys that were refused. */
  readonly refusedPerAddress: number;
  /** Invitations and links for passwords to one mailbox, over all tenants. */
  readonly mailsPerDay: number;
  /** Of answers to requests with an Idempotency-Key, of one tenant in one process. */
  readonly keptAnswerBytes: number;
  readonly tiers: Readonly<Record<string, TierLimits>>;
  /** Reports, exports, wide walks and captures. */
  readonly heavy: {
    /** How many run at a time in this process; At most half of the connections; 0: as many as processors, at least 2. */
    readonly slots: number;
    /** The same of the public, whose work has slots of its own; at most a quarter of the connections; 0: as many as `slots`. */
    readonly publicSlots: number;
    /** Bytes of bodies that are read, wait and run in this process; of one tenant half, of one principal a quarter. */
    readonly bodyBytes: number;
    /** How many of one tenant may wait (of one principal half of them), and for how long. */
    readonly waitingPerTenant: number;
    readonly maxWaitMs: number;
  };
}

export interface TierLimits {
  readonly requestsPerMinute: number;
  readonly eventsPerMonth: number;
  readonly storedBytes: number;
  readonly keys: number;
  readonly subscriptions: number;
  /** Members, and who was invited and never accepted. */
  readonly members: number;
  readonly organisations: number;
  /** Of each organisation. */
  readonly sites: number;
  /** Of each organisation; and of each member without one. */
  readonly wallets: number;
}
