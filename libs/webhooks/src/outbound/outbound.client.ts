import { Clock } from '#kernel';
import { inChildSpan } from '#tracing';
import type { Agent, Dispatcher } from 'undici';
import { addressAllowed, checkedUrl, literalAddress, type Networks } from './address.js';
import { urlNotAllowed, urlUnreachable } from '../errors.js';
import { AddressRefused, guardedConnector, type NameLookup } from './guarded-connector.client.js';
import { type PostOutcome, retryAfterMs, type Silence } from './outcome.js';
import { undici } from './undici.client.js';

interface ClientLimits {
  readonly networks: Networks;
  readonly timeoutMs: number;
  readonly responseBytes: number;
  readonly names?: NameLookup;
}

/** Shorter than any common server's, so that a kept connection is hardly ever used in the moment that its peer closes it. */
const KEEP_ALIVE_MS = 2_000;
const PROBE_METHODS = ['HEAD', 'GET', 'POST'] as const;
/** However short the limit of an attempt is: a receiver may wake up only when it is asked for the first time. */
const PROBE_MS = 2_000;

interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The only way out: every address is checked, redirects are not followed, one time limit covers the whole attempt. */
export class OutboundClient {
  private opened: Agent | null = null;

  constructor(
    private readonly limits: ClientLimits,
    private readonly clock: Clock = new Clock(),
  ) {}

  private get agent(): Agent {
    const { networks, timeoutMs, names } = this.limits;
    return (this.opened ??= new (undici().Agent)({
      connect: guardedConnector(networks, timeoutMs, names),
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      // The one limit is the signal of each request: undici's own restart with every byte.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 16_384,
    }));
  }

  /** Never rejects: what goes wrong is an outcome. */
  post(request: OutgoingRequest): Promise<PostOutcome> {
    return inChildSpan('POST', { kind: 'client', facts: { 'http.request.method': 'POST' } }, async (span) => {
      const outcome = await this.within(request);
      // Its host alone: a path may carry a secret.
      span?.add({ 'server.address': new URL(request.url).hostname });
      if (outcome.statusCode !== null) span?.add({ 'http.response.status_code': outcome.statusCode });
      if (outcome.kind === 'unanswered') span?.fail({ code: outcome.silence });
      return outcome;
    });
  }

  private async within(request: OutgoingRequest): Promise<PostOutcome> {
    // Not AbortSignal.timeout: its timer outlives the answer, and at a thousand attempts a second ten thousand of them would fire for nothing.
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), this.limits.timeoutMs);
    let status: number | null = null;
    try {
      const answer = await this.send('POST', request, limit.signal);
      status = answer.statusCode;
      const responseBody = await this.readStart(answer);
      return {
        kind: 'answered',
        statusCode: status,
        responseBody,
        retryAfterMs: retryAfterMs(header(answer, 'retry-after'), this.clock.now()),
      };
    } catch (error) {
      const [silence, sentence] = this.silence(error, limit.signal.aborted, status);
      return { kind: 'unanswered', silence, statusCode: status, responseBody: null, error: sentence };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Any HTTP answer counts. @throws DomainError 422 `webhook_url_not_allowed`, `webhook_url_unreachable` */
  async probe(request: OutgoingRequest): Promise<void> {
    for (const method of PROBE_METHODS) {
      const signal = AbortSignal.timeout(Math.max(PROBE_MS, Math.ceil(this.limits.timeoutMs / PROBE_METHODS.length)));
      try {
        const answer = await this.send(
          method,
          method === 'POST' ? request : { ...request, headers: { 'User-Agent': request.headers['User-Agent'] ?? '' } },
          signal,
        );
        answer.body.on('error', () => undefined).destroy();
        return;
      } catch (error) {
        if (refused(error)) throw urlNotAllowed();
      }
    }
    throw urlUnreachable();
  }

  async close(): Promise<void> {
    await this.opened?.destroy();
  }

  private async send(
    method: Dispatcher.HttpMethod,
    { url, headers, body }: OutgoingRequest,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const target = checkedUrl(url);
    const literal = literalAddress(target.hostname);
    if (literal !== null && !addressAllowed(literal, this.limits.networks)) throw new AddressRefused();
    return this.agent.request({
      origin: target.origin,
      path: target.pathname + target.search,
      method,
      headers,
      body: method === 'POST' ? body : null,
      signal,
    });
  }

  /** The first bytes only; the rest is never read. */
  private async readStart(answer: Dispatcher.ResponseData): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= this.limits.responseBytes) break; // leaving the loop destroys the body and its socket
    }
    return storableText(Buffer.concat(chunks), this.limits.responseBytes);
  }

  /** Why, and what the tenant may know of it. Refused, reset, unresolved and closed look alike, or the service would be a port scanner. */
  private silence(error: unknown, timedOut: boolean, status: number | null): [Silence, string] {
    if (refused(error)) return ['not_allowed', 'The address is not allowed.'];
    const within = `within ${this.limits.timeoutMs} ms.`;
    if (status !== null) return timedOut ? ['timeout', `The answer was not complete ${within}`] : ['broken_off', 'The answer broke off.'];
    if (timedOut && !(error instanceof undici().errors.ConnectTimeoutError)) return ['timeout', `No answer ${within}`];
    return ['unreachable', 'The URL is not reachable.'];
  }
}

const header = (answer: Dispatcher.ResponseData, name: string): string | undefined => {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
};

/** Happy-eyeballs wraps the refusals of several addresses into one AggregateError. */
const refused = (error: unknown): boolean =>
  error instanceof AddressRefused ||
  (error instanceof AggregateError && error.errors.some(refused)) ||
  (error instanceof Error && error.cause !== undefined && refused(error.cause));

/** The start of an answer as text that PostgreSQL can keep: valid UTF-8, no NUL, no half character at the end. */
export function storableText(bytes: Buffer, maxBytes: number): string {
  const cut = bytes.subarray(0, maxBytes);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(cut, { stream: bytes.length >= maxBytes });
  return text.replaceAll('\0', '\uFFFD');
}
