import type { paths } from './generated/api.js';

/** Types of the client's own methods. Other operations have generated types. */
export interface LoginResult {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly partial: boolean;
  readonly stale: boolean;
}

export interface PreparedTx {
  readonly to: string;
  readonly data: string;
  readonly gasEstimate: number;
  readonly chainId: number;
}

/** Advice for who signs; what a relay needs of it. */
export interface PreparedHints {
  /** Only when the sender is an account of passkeys. */
  readonly preparedId?: string;
}

export interface EventSubmission {
  readonly processType: string;
  readonly inputTokenIds?: readonly number[];
  readonly outputTlc?: string;
  readonly outputCustodian?: string;
  readonly metadata: object;
  readonly from?: string;
}

export interface PreparedEvent {
  readonly eventId: string;
  readonly ipfsCid: string;
  readonly dataHash: string;
  readonly outputTlc: string | null;
  readonly preparedTx: PreparedTx;
  readonly hints: PreparedHints;
  readonly warnings: readonly string[];
}

/** One result per item, in the order of the request. */
export interface EventBatch {
  readonly prepared: number;
  readonly refused: number;
  readonly data: readonly {
    readonly index: number;
    readonly status: number;
    readonly event: PreparedEvent | null;
    readonly problem: Json | null;
  }[];
}

export interface ErrorDeclaration {
  readonly reason: 'did_not_occur' | 'incorrect_data';
  readonly correctiveEventIDs?: readonly string[];
  readonly metadata?: object;
  readonly from?: string;
}

export interface PreparedVoid {
  readonly eventId: string;
  readonly preparedTx: PreparedTx;
  readonly hints: PreparedHints;
  readonly ipfsCid: string;
  readonly dataHash: string;
  readonly warnings: readonly string[];
}

export interface EventVerification {
  readonly eventId: string;
  readonly status: 'ok' | 'mismatch' | 'unreachable' | 'not_landed';
  readonly links: readonly { readonly link: string; readonly status: string; readonly detail: string }[];
}

export interface CustodyRequest {
  readonly action?: 'offer' | 'accept' | 'reject' | 'cancel';
  readonly tokenIds: readonly number[];
  readonly to?: string;
  readonly processType?: string;
  readonly metadata?: object;
  readonly from?: string;
}

export interface PreparedCustody {
  readonly preparedTx: PreparedTx;
  readonly hints: PreparedHints;
  readonly metadata: object;
  readonly transferIds?: readonly string[];
  readonly eventId?: string;
  readonly ipfsCid?: string;
}

export interface Lot {
  readonly id: string;
  readonly tokenId: number;
  readonly tlc: string;
  readonly assetType: string;
  readonly status: string;
  readonly custodian: string;
  readonly pendingCustodian: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly [field: string]: unknown;
}

export interface Page<T> {
  readonly data: readonly T[];
  readonly total: number;
}

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly active: boolean;
  readonly createdAt: string;
  readonly secret?: string;
}

export type Json = Readonly<Record<string, unknown>>;

type Method = 'get' | 'post' | 'patch' | 'delete' | 'put';

/** Every operation as `GET /api/v1/nfts`. */
export type OperationName = {
  [Path in keyof paths]: {
    [M in Method]: paths[Path] extends { readonly [K in M]: object } ? `${Uppercase<M>} ${Path}` : never;
  }[Method];
}[keyof paths];

type OperationOf<Name extends OperationName> = Name extends `${infer Verb} ${infer Path}`
  ? Path extends keyof paths
    ? Lowercase<Verb> extends keyof paths[Path]
      ? paths[Path][Lowercase<Verb>]
      : never
    : never
  : never;

/** The JSON form, if there are several. */
type Content<T> = T extends { readonly content: infer Media }
  ? Media extends { readonly 'application/json': infer Body }
    ? Body
    : Media[keyof Media]
  : undefined;
type SuccessOf<O> = O extends { readonly responses: infer Responses } ? Responses[keyof Responses] : never;
type QueryOf<O> = O extends { readonly parameters: { readonly query?: infer Query } }
  ? Query extends object
    ? Query
    : Record<string, never>
  : Record<string, never>;
type BodyOf<O> = O extends { readonly requestBody: infer Body } ? Content<Body> : undefined;

/** Query, body and answer of every operation: `Operations['GET /api/v1/nfts']['answer']`. */
export type Operations = {
  [Name in OperationName]: {
    query: QueryOf<OperationOf<Name>>;
    body: BodyOf<OperationOf<Name>>;
    answer: Content<SuccessOf<OperationOf<Name>>>;
  };
};
