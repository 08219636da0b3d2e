import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '#config';
import { LargeBodies } from './large-bodies.js';
import { addOpenPaths, openTo } from './open-paths.js';
import { addRequestChecks } from './request-line.js';
import { addRequestSpans } from './request-spans.js';
import { addStopSignal } from './stop-signal.js';
import { factsOf, NestLogger, requestContext } from '../logging/logger.js';
import { AllowedMethods, answerClientError, answerProblem, ProblemFilter, routerProblem } from '../problems/problem-filter.js';
import { stopping, unsupportedCoding, unsupportedMediaType } from '../problems/refusals.js';
import { type BodyRules, LINKED_JSON, MERGE_PATCH, readJsonBody } from '../requests/json-body.js';
import { MULTIPART, readMultipart } from '../requests/multipart-body.js';
import { XML_TYPES, XmlBody } from '../requests/xml-body.js';
import { KnownParameters } from '../requests/known-parameters.js';
import { addPublicOrigin } from '../requests/public-origin.js';
import { RequestPipe } from '../requests/read-dto.js';
import { addCompression } from '../responses/compress.js';

const MAX_BODY = 1024 * 1024;
/** A token contains every membership of its user, about 270 bytes each. */
const MAX_HEADERS = 64 * 1024;
/** A TLC of 200 characters, percent-encoded. */
const MAX_PATH_PARAMETER = 600;
/** Time in which a whole request must arrive, headers and body. Fastify's default has no limit. */
const ARRIVAL_MS = 30_000;
/** How often Node checks for requests that are late; its default of 30 s would double the limit. */
const LATE_CHECK_MS = 5_000;

/** Called for each answered request. */
interface RequestObserver {
  /** @param route the pattern, never the path; undefined when no route matched */
  observe(method: string, route: string | undefined, status: number, ms: number): void;
}

interface HttpAppOptions {
  readonly config: { readonly http: Omit<Config['http'], 'corsOrigins' | 'publicUrl'> & Partial<Config['http']> };
  readonly logger: Logger;
  readonly requests?: RequestObserver;
  /** Time in which a whole request must arrive; default 30 s. */
  readonly arrivalMs?: number;
}

/**
 * The Nest application on Fastify with everything that is common to all routes: body rules, validation, problem+json, request ids and the
 * log. It does not listen yet. Call `drain` before `app.close()`.
 */
export async function createHttpApp(
  module: Type<unknown> | DynamicModule,
  { config, logger, requests, arrivalMs = ARRIVAL_MS }: HttpAppOptions,
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: MAX_BODY,
    trustProxy: trustedHops(config.http.trustedProxies),
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER },
    http: { maxHeaderSize: MAX_HEADERS, headersTimeout: arrivalMs, connectionsCheckingInterval: Math.min(LATE_CHECK_MS, arrivalMs) },
    requestTimeout: arrivalMs,
    clientErrorHandler: answerClientError,
    forceCloseConnections: 'idle',
    // Its answer would be no problem+json; `refuseWhileStopping` gives it.
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: (request: { headers: IncomingHttpHeaders }) => requestIdOf(request.headers['x-request-id']),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      answerProblem(routerProblem(error, openTo(request, reply), allowed), request, reply, logger),
  });
  // Before NestFactory.create: hooks that are added later would run after Nest's own.
  const fastify = adapter.getInstance<FastifyInstance>();
  addRequestHooks(fastify, logger);
  refuseWhileStopping(fastify);
  addPublicOrigin(fastify, config.http.publicUrl ?? null);
  const largeBodies = LargeBodies.of(fastify);
  addBodyParsers(fastify);
  const allowed = AllowedMethods.of(fastify);
  addRequestChecks(fastify, allowed, logger);
  addSecurityHeaders(fastify, config.http.corsOrigins ?? []);
  addCompression(fastify);
  if (requests) addObserver(fastify, requests);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: new NestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  largeBodies.connect(app);
  app.useGlobalInterceptors(new KnownParameters());
  app.useGlobalPipes(new RequestPipe());
  app.useGlobalFilters(new ProblemFilter(logger, allowed));
  return app;
}

/** Trusts X-Forwarded-* of the nearest `hops` proxies. With a plain number, Fastify would trust none. */
const trustedHops = (hops: number): false | ((address: string, hop: number) => boolean) => (hops > 0 ? (_, hop) => hop < hops : false);

/** Uses the caller's own id if it is safe in a log line. */
function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.-]{8,64}$/.test(given) ? given : randomUUID();
}

/** The server takes no new connections then, but one that is kept open may carry another request. */
function refuseWhileStopping(fastify: FastifyInstance): void {
  addStopSignal(fastify);
  let closing = false;
  fastify.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  fastify.addHook('onRequest', (_request, _reply, done) => done(closing ? stopping() : undefined));
}

function addObserver(fastify: FastifyInstance, requests: RequestObserver): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    requests.observe(request.method, request.routeOptions.url, reply.statusCode, reply.elapsedTime);
    done();
  });
}

/** Span, request id, cache policy, and one log line per request. */
function addRequestHooks(fastify: FastifyInstance, logger: Logger): void {
  addRequestSpans(fastify);
  fastify.addHook('onRequest', (request, reply, done) => {
    // Tokens, secrets and tenant data must not be cached. A route whose answer may be cached overrides this.
    void reply.header('x-request-id', request.id).header('cache-control', 'no-store');
    // A request without a body may have any Content-Type (docs/spec/api.md#conventions).
    const { headers } = request.raw;
    if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') delete headers['content-type'];
    requestContext.run(() => factsOf(request), done);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const path = request.url.split('?', 1)[0]!;
    const line = {
      method: request.method,
      path,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ...factsOf(request),
    };
    logger[path.startsWith('/health/') ? 'debug' : 'info'](line, 'request');
    done();
  });
}

const FORM = 'application/x-www-form-urlencoded';

function addBodyParsers(fastify: FastifyInstance): void {
  // Compressed bytes would be reported as invalid JSON.
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    const coding = request.headers['content-encoding'] ?? 'identity';
    done(coding.toLowerCase() === 'identity' ? null : unsupportedCoding(coding), payload);
  });
  fastify.addHook('onRoute', (route) => {
    const { bodyLimit } = (route.config ?? {}) as Partial<BodyRules>;
    if (bodyLimit !== undefined) route.bodyLimit = bodyLimit;
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    ['application/json', LINKED_JSON, MERGE_PATCH],
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      const type = request.headers['content-type'] ?? '';
      const { linkedJson = false, mergePatch = false } = request.routeOptions.config as Partial<BodyRules>;
      const isRefused = (type.startsWith(LINKED_JSON) && !linkedJson) || (type.startsWith(MERGE_PATCH) && !mergePatch);
      if (isRefused && body.length > 0) throw unsupportedMediaType(type);
      return readJsonBody(body);
    },
  );
  addOtherParsers(fastify);
}

/** Of bodies that are not JSON: some routes take them. */
function addOtherParsers(fastify: FastifyInstance): void {
  fastify.addContentTypeParser(XML_TYPES, { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) done(null, undefined);
    else if ((request.routeOptions.config as Partial<BodyRules>).xml) done(null, new XmlBody(body));
    else done(unsupportedMediaType(request.headers['content-type'] ?? ''));
  });
  fastify.addContentTypeParser(MULTIPART, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    const type = request.headers['content-type'] ?? '';
    const { multipart = false, form = false } = request.routeOptions.config as Partial<BodyRules>;
    if (form) return undefined;
    if (!multipart) throw unsupportedMediaType(type);
    return readMultipart(body, type);
  });
  fastify.addContentTypeParser(FORM, { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0 || (request.routeOptions.config as Partial<BodyRules>).form) done(null, undefined);
    else done(unsupportedMediaType(FORM));
  });
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else done(unsupportedMediaType(request.headers['content-type'] ?? 'of unknown type'));
  });
}

/** Headers that a page of another origin may send and read. */
const REQUEST_HEADERS = [
  'authorization',
  'x-api-key',
  'x-dpp-grant',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'last-event-id',
  'x-request-id',
];
const RESPONSE_HEADERS = [
  'x-request-id',
  'etag',
  'link',
  'location',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'idempotency-replayed',
  'deprecation',
  'sunset',
];
const YEAR_SECONDS = 31_536_000;

/**
 * Adds the headers that prevent other sites from reading, framing or running an answer. A route with a page replaces this
 * content-security-policy, which allows nothing to load or run, by its own.
 * @param origins whose pages may call this service from a browser; `*` for any. Credentials are headers that a page sets itself, never cookies.
 */
function addSecurityHeaders(fastify: FastifyInstance, origins: readonly string[]): void {
  addOpenPaths(fastify);
  void fastify.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] },
    },
    // Subdomains may belong to other services.
    strictTransportSecurity: { maxAge: YEAR_SECONDS, includeSubDomains: false },
  });
  if (origins.length === 0) return;
  void fastify.register(cors, {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'],
    allowedHeaders: REQUEST_HEADERS,
    exposedHeaders: RESPONSE_HEADERS,
    maxAge: 600,
    strictPreflight: false,
  });
}
