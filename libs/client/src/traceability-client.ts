import { dataOf, problemFrom } from './api-problem.js';
import type {
  ChangesView,
  ConsumerView,
  ImportProblemsView,
  ImportView,
  ImportedEventView,
  NoticeChoiceView,
  NoticePageView,
  SavedMappingView,
  StoredDocumentView,
} from './generated/api.js';
import type {
  CustodyRequest,
  ErrorDeclaration,
  EventBatch,
  EventSubmission,
  EventVerification,
  Json,
  LoginResult,
  Lot,
  Operations,
  Page,
  PreparedCustody,
  PreparedEvent,
  PreparedTx,
  PreparedVoid,
  Webhook,
} from './types.js';

export type TableFormat = 'csv' | 'xlsx' | 'ndjson';

export interface LotAcknowledgement {
  readonly tokenId: number;
  readonly state: 'quarantined' | 'returned' | 'destroyed' | 'not_found';
  /** `value`: decimal text; all of the lot without it. */
  readonly quantity?: { readonly value: string; readonly uom: string };
}

/** Timeout of a complete answer. A download may be a table with a million rows. */
const ANSWER_MS = 60_000;
const DOWNLOAD_MS = 900_000;

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** A token that can be renewed when the service no longer accepts it: a `Session` has one. */
export interface RenewableToken {
  token(): string;
  /** @returns whether there is a new token */
  renew(): Promise<boolean>;
}
type Credential = { readonly accessToken: string } | { readonly apiKey: string } | RenewableToken | null;

/** The service over HTTP, as one principal. Errors are thrown as ApiProblem. */
export class TraceabilityClient {
  constructor(
    readonly baseUrl: string,
    private readonly credential: Credential = null,
  ) {}

  /** Signs in and returns a client with the token. */
  static async login(baseUrl: string, email: string, password: string, tenantId?: string): Promise<TraceabilityClient> {
    const { accessToken } = await new TraceabilityClient(baseUrl).post<LoginResult>('/api/v2/auth/login', {
      email,
      password,
      ...(tenantId && { tenantId }),
    });
    return new TraceabilityClient(baseUrl, { accessToken });
  }

  readonly events = {
    validate: (event: object) => this.post<{ valid: boolean; errors: string[]; warnings: string[] }>('/api/v1/events/validate', event),
    prepare: (event: EventSubmission) => this.post<PreparedEvent>('/api/v1/events/prepare', event),
    get: (id: string) => this.get<Json>(`/api/v1/events/${id}`),
    list: (query: Query = {}) => this.get<Page<Json>>(`/api/v1/events${search(query)}`),
    prepareBatch: (events: readonly EventSubmission[]) => this.post<EventBatch>('/api/v1/events/prepare/batch', { events }),
    withdraw: (id: string) => this.request<void>('DELETE', `/api/v1/events/${id}`),
    void: (id: string, declaration: ErrorDeclaration) => this.post<PreparedVoid>(`/api/v1/events/${id}/void/prepare`, declaration),
    supersede: (
      id: string,
      correction: { readonly metadata: object; readonly reason?: ErrorDeclaration['reason']; readonly from?: string },
    ) => this.post<PreparedEvent>(`/api/v1/events/${id}/supersede/prepare`, correction),
    verify: (id: string) => this.get<EventVerification>(`/api/v1/events/${id}/verify`),
  };

  readonly lots = {
    get: (tokenId: number) => this.get<Lot>(`/api/v1/nfts/${tokenId}`),
    /** @param query `gtin` and `serial`, where several lots have the code */
    byTlc: (tlc: string, query: Query = {}) => this.get<Lot>(`/api/v1/nfts/by-tlc/${encodeURIComponent(tlc)}${search(query)}`),
    list: (query: Query = {}) => this.get<Page<Lot>>(`/api/v1/nfts${search(query)}`),
  };

  readonly custody = {
    prepare: (request: CustodyRequest) => this.post<PreparedCustody>('/api/v1/custody/prepare', request),
  };

  readonly tx = {
    prepare: (request: object) => this.post<{ preparedTx: PreparedTx; metadata: Json }>('/api/v1/tx/prepare', request),
    track: (txHash: string, type?: string) =>
      this.post<{ trackingId: string; txHash: string }>('/api/v1/tx/track', { txHash, ...(type && { type }) }),
    get: (trackingId: string) => this.get<Json & { readonly status: string }>(`/api/v1/tx/${trackingId}`),
  };

  readonly webhooks = {
    create: (url: string, events: readonly string[]) =>
      this.post<Webhook & { readonly secret: string }>('/api/v1/webhooks', { url, events }),
    list: () => this.get<Webhook[]>('/api/v1/webhooks'),
    delete: (id: string) => this.request<void>('DELETE', `/api/v1/webhooks/${id}`),
    deliveries: (id: string) => this.get<Json[]>(`/api/v1/webhooks/${id}/deliveries`),
  };

  readonly imports = {
    /** Its state is `proposed` when a job has read it, or `checked` with a `mappingId`. @param said `processType`, `mappingId`, `sheet` */
    start: (file: Blob, name: string, said: Readonly<Record<string, string>> = {}) =>
      this.upload<ImportView>('/api/v1/imports', file, name, said),
    get: (id: string) => this.get<ImportView>(`/api/v1/imports/${id}`),
    list: (query: Query = {}) => this.get<Page<ImportView>>(`/api/v1/imports${search(query)}`),
    check: (id: string, by: { readonly mapping?: object; readonly mappingId?: string } = {}) =>
      this.post<ImportView>(`/api/v1/imports/${id}/check`, by),
    prepare: (id: string, request: { readonly rows: 'all' | 'valid'; readonly from?: string }) =>
      this.post<ImportView>(`/api/v1/imports/${id}/prepare`, request),
    problems: (id: string, query: Query = {}) => this.get<Page<ImportProblemsView>>(`/api/v1/imports/${id}/problems${search(query)}`),
    events: (id: string, query: Query = {}) => this.get<Page<ImportedEventView>>(`/api/v1/imports/${id}/events${search(query)}`),
    markedFile: (id: string) => this.download(`/api/v1/imports/${id}/file`),
    cancel: (id: string) => this.post<ImportView>(`/api/v1/imports/${id}/cancel`),
    resume: (id: string) => this.post<ImportView>(`/api/v1/imports/${id}/resume`),
    delete: (id: string) => this.request<void>('DELETE', `/api/v1/imports/${id}`),
    keepMapping: (name: string, mapping: object, partner = '') =>
      this.post<SavedMappingView>('/api/v1/import-mappings', { name, partner, mapping }),
    deleteMapping: (id: string) => this.request<void>('DELETE', `/api/v1/import-mappings/${id}`),
    template: (processType: string, format: 'xlsx' | 'csv' = 'xlsx') =>
      this.download(`/api/v1/import-templates/${encodeURIComponent(processType)}?format=${format}`),
  };

  readonly documents = {
    /** The same file with the same words is stored once. @param said `visibility`, `type` and `number` */
    upload: (file: Blob, name: string, said: Readonly<Record<string, string>> = {}) =>
      this.upload<StoredDocumentView>('/api/v1/documents', file, name, said),
    get: (id: string) => this.get<StoredDocumentView>(`/api/v1/documents/${id}`),
    list: (query: Query = {}) => this.get<Page<StoredDocumentView>>(`/api/v1/documents${search(query)}`),
    content: (id: string) => this.download(`/api/v1/documents/${id}/content`),
    delete: (id: string) => this.request<void>('DELETE', `/api/v1/documents/${id}`),
  };

  /** Of the person who signed in. */
  readonly notices = {
    list: (query: Query = {}) => this.get<NoticePageView>(`/api/v1/notices${search(query)}`),
    /** @param ids without them, all */
    read: (ids?: readonly string[]) => this.post<{ readonly unread: number }>('/api/v1/notices/read', ids ? { ids } : {}),
    choices: () => this.get<{ readonly data: readonly NoticeChoiceView[] }>('/api/v1/notices/choices'),
    choose: (topic: string, choice: { readonly inPortal: boolean; readonly byMail: boolean }) =>
      this.request<void>('PUT', `/api/v1/notices/choices/${encodeURIComponent(topic)}`, choice),
  };

  readonly recalls = {
    get: (id: string) => this.get<Json>(`/api/v1/recalls/${id}`),
    list: (query: Query = {}) => this.get<Page<Json>>(`/api/v1/recalls${search(query)}`),
    /** What you did with the lots of a recall that you hold. */
    acknowledge: (id: string, lots: readonly LotAcknowledgement[]) => this.post<Json>(`/api/v1/recalls/${id}/acknowledgements`, { lots }),
    acknowledgements: (id: string, query: Query = {}) => this.get<Json>(`/api/v1/recalls/${id}/acknowledgements${search(query)}`),
  };

  /** Every item that the filters find, as one table. It is read while it is written: nothing of it is kept in memory. */
  readonly tables = {
    /** @param query of one `processType`, the table can be imported again */
    events: (format: TableFormat, query: Query = {}) => this.stream(`/api/v1/events${search({ ...query, format, all: true })}`),
    lots: (format: TableFormat, query: Query = {}) => this.stream(`/api/v1/nfts${search({ ...query, format, all: true })}`),
    transfers: (orgId: string, format: TableFormat, query: Query = {}) =>
      this.stream(`/api/v1/custody/org/${encodeURIComponent(orgId)}${search({ ...query, format, all: true })}`),
    report: (name: string, format: TableFormat, query: Query = {}) => this.stream(`/api/v1/reports/${name}${search({ ...query, format })}`),
  };

  readonly changes = {
    /** @param query `after`, `topics` (commas between them), `wait`, `limit`, or `consumer` */
    list: (query: Query = {}) => this.get<ChangesView>(`/api/v1/changes${search(query)}`),
    consumers: () => this.get<ConsumerView[]>('/api/v1/changes/consumers'),
    putConsumer: (name: string, change: { readonly topics?: readonly string[] | null; readonly after?: string } = {}) =>
      this.request<ConsumerView>('PUT', `/api/v1/changes/consumers/${encodeURIComponent(name)}`, change),
    acknowledge: (name: string, cursor: string) =>
      this.post<ConsumerView>(`/api/v1/changes/consumers/${encodeURIComponent(name)}/acknowledge`, { cursor }),
    deleteConsumer: (name: string) => this.request<void>('DELETE', `/api/v1/changes/consumers/${encodeURIComponent(name)}`),
  };

  /**
   * Any operation of the service by its method and path, with the types of its OpenAPI document:
   * `call('GET /api/v1/nfts/{tokenId}', { path: { tokenId: 7 } })`.
   */
  call<O extends keyof Operations>(operation: O, ...[given]: Arguments<O>): Promise<Operations[O]['answer']> {
    const { method, path } = addressOf(operation, given);
    return this.request(method, path, given?.body);
  }

  get<T>(path: string): Promise<T> {
    return this.request('GET', path);
  }

  post<T>(path: string, body?: unknown, key?: string): Promise<T> {
    return this.request('POST', path, body, key);
  }

  /** Also returns the response headers, such as a link to the next page. */
  async getWithHeaders<T>(path: string): Promise<{ readonly data: T; readonly headers: Headers }> {
    const response = await this.answer('GET', path);
    return { data: await dataOf<T>(response), headers: response.headers };
  }

  /** A file and texts, as `multipart/form-data`. */
  async upload<T>(path: string, file: Blob, name: string, fields: Readonly<Record<string, string>> = {}): Promise<T> {
    const form = new FormData();
    for (const [key, value] of Object.entries(fields)) form.set(key, value);
    form.set('file', file, name);
    return dataOf<T>(await this.answer('POST', path, form, {}, DOWNLOAD_MS));
  }

  /** A complete answer that is not JSON: a table, a picture. @throws ApiProblem */
  async download(path: string): Promise<Blob> {
    const response = await this.answer('GET', path, undefined, {}, DOWNLOAD_MS);
    if (!response.ok) throw problemFrom(response.status, await response.text());
    return response.blob();
  }

  /** An answer that is not JSON, while it is read. Cancel it, and the service stops its work. @throws ApiProblem */
  async stream(path: string): Promise<ReadableStream<Uint8Array>> {
    const response = await this.answer('GET', path, undefined, {}, DOWNLOAD_MS);
    if (!response.ok || !response.body) throw problemFrom(response.status, await response.text());
    return response.body;
  }

  /** @param key `Idempotency-Key`. @throws ApiProblem for every answer that is not 2xx */
  async request<T>(method: Method, path: string, body?: unknown, key?: string): Promise<T> {
    return dataOf<T>(await this.answer(method, path, body, key === undefined ? {} : { 'idempotency-key': key }));
  }

  /** The raw response. An expired token is renewed once. */
  async answer(
    method: Method,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
    timeoutMs = ANSWER_MS,
  ): Promise<Response> {
    const send = (): Promise<Response> => this.send(method, path, body, headers, timeoutMs);
    const first = await send();
    if (first.status !== 401 || this.credential === null || !('renew' in this.credential)) return first;
    return (await this.credential.renew()) ? send() : first;
  }

  private send(
    method: Method,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
    timeoutMs: number,
  ): Promise<Response> {
    const isJson = body !== undefined && !(body instanceof FormData);
    return fetch(this.baseUrl + path, {
      method,
      headers: { ...headers, ...this.headers(), ...(isJson && { 'content-type': 'application/json' }) }, // of a form, fetch says it
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error', // or a key would go to whatever host an answer names
    });
  }

  private headers(): Record<string, string> {
    if (this.credential === null) return {};
    if ('apiKey' in this.credential) return { 'x-api-key': this.credential.apiKey };
    return { authorization: `Bearer ${'renew' in this.credential ? this.credential.token() : this.credential.accessToken}` };
  }
}

type InPath<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | InPath<Rest> : never;
type OptionalIfUndefined<Key extends string, Part> = undefined extends Part
  ? { readonly [K in Key]?: Part }
  : { readonly [K in Key]: Part };
interface Parts {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: Query;
  readonly body?: unknown;
}
type PartsOf<O extends keyof Operations> = ([InPath<O>] extends [never]
  ? unknown
  : { readonly path: Record<InPath<O>, string | number> }) & {
  readonly query?: Operations[O]['query'];
} & OptionalIfUndefined<'body', Operations[O]['body']>;
/** The parts that the operation needs; no argument if it needs none. */
type Arguments<O extends keyof Operations> = object extends PartsOf<O> ? [given?: PartsOf<O> & Parts] : [given: PartsOf<O> & Parts];

/** @returns the address of an operation, for links and for answers that are not JSON */
export function addressOf(operation: keyof Operations, given?: Parts): { readonly method: Method; readonly path: string } {
  const [method, template] = operation.split(' ') as [Method, string];
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(given?.path?.[name])));
  return { method, path: path + search(given?.query ?? {}) };
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

function search(query: Query): string {
  const given = Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)] as [string, string]]));
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}
