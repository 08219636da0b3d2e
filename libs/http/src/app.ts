import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '#config';
import { AllowedMethods } from './allowed-methods.js';
import { answerClientError } from './errors/client-error.js';
import { ProblemFilter, answerProblem } from './errors/problem-filter.js';
import { unsupportedCoding, unsupportedMediaType } from './errors/refusals.js';
import { NestLogger } from './logging/nest-logger.js';
import { type BodyRules, LINKED_JSON } from './requests/body-rules.js';
import { factsOf, requestContext } from './logging/logger.js';
import { readJsonBody } from './requests/json-body.js';
import { traceRequests } from './request-spans.js';
import { RequestPipe } from './requests/request-pipe.js';
import { secure } from './security.js';

const MAX_BODY = 1024 * 1024;
/** A token carries every membership of its user: some 270 bytes each. */
const MAX_HEADERS = 64 * 1024;
/** A TLC of 200 characters, percent-encoded. */
const MAX_PATH_PARAMETER = 600;
/** For a whole request to arrive, headers and body: Fastify's own default waits for ever. */
const ARRIVAL_MS = 30_000;
/** How often Node looks for requests that are late; its own 30 s would double the limit. */
const LOOK_MS = 5_000;

/** Told of each answered request. */
export interface RequestObserver {
  /** @param route the pattern, never what was asked for; undefined where no route took the request */
  observe(method: string, route: string | undefined, status: number, ms: number): void;
}

export interface HttpAppOptions {
  readonly config: { readonly http: Omit<Config['http'], 'corsOrigins'> & Partial<Pick<Config['http'], 'corsOrigins'>> };
  readonly logger: Logger;
  readonly requests?: RequestObserver;
  /** Within which a request arrives whole; default 30 s. */
  readonly arrivalMs?: number;
}

/**
 * The Nest application on Fastify with everything that holds for every route: body rules, validation, problem+json,
 * request ids and the log. Not listening yet; `drain` it before `app.close()`.
 */
export async function createHttpApp(
  module: Type<unknown> | DynamicModule,
  { config, logger, requests, arrivalMs = ARRIVAL_MS }: HttpAppOptions,
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: MAX_BODY,
    trustProxy: trustedHops(config.http.trustedProxies),
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER },
    http: { maxHeaderSize: MAX_HEADERS, headersTimeout: arrivalMs, connectionsCheckingInterval: Math.min(LOOK_MS, arrivalMs) },
    requestTimeout: arrivalMs,
    clientErrorHandler: answerClientError,
    forceCloseConnections: 'idle',
    requestIdHeader: false,
    genReqId: (request: { headers: IncomingHttpHeaders }) => requestIdOf(request.headers['x-request-id']),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => answerProblem(error, request, reply, logger),
  });
  // Before NestFactory.create: hooks that are added later would run after Nest's own.
  const fastify = adapter.getInstance<FastifyInstance>();
  traceRequests(fastify);
  prepare(fastify, logger);
  secure(fastify, config.http.corsOrigins ?? []);
  const allowed = AllowedMethods.of(fastify);
  if (requests) watch(fastify, requests);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: new NestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  app.useGlobalPipes(new RequestPipe());
  app.useGlobalFilters(new ProblemFilter(logger, allowed));
  return app;
}

/** The nearest `hops` proxies may say whom they speak for. Fastify reads a plain number as trusting nobody. */
const trustedHops = (hops: number): false | ((address: string, hop: number) => boolean) => (hops > 0 ? (_, hop) => hop < hops : false);

/** A caller's own id is taken over where it cannot spoil a log line. */
function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.-]{8,64}$/.test(given) ? given : randomUUID();
}

function watch(fastify: FastifyInstance, requests: RequestObserver): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    requests.observe(request.method, request.routeOptions.url, reply.statusCode, reply.elapsedTime);
    done();
  });
}

function prepare(fastify: FastifyInstance, logger: Logger): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    // Tokens, secrets and a tenant's data stay in no cache; what may says so itself, over this.
    void reply.header('x-request-id', request.id).header('cache-control', 'no-store');
    // A request without a body may name any Content-Type (api-decisions §1).
    const { headers } = request.raw;
    if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') delete headers['content-type'];
    requestContext.run(() => factsOf(request), done);
  });
  // Compressed bytes would be read as JSON that is broken.
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    const coding = request.headers['content-encoding'] ?? 'identity';
    done(coding.toLowerCase() === 'identity' ? null : unsupportedCoding(coding), payload);
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
  fastify.addHook('onRoute', (route) => {
    const { bodyLimit } = (route.config ?? {}) as Partial<BodyRules>;
    if (bodyLimit !== undefined) route.bodyLimit = bodyLimit;
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(['application/json', LINKED_JSON], { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    const type = request.headers['content-type'] ?? '';
    const { linkedJson = false } = request.routeOptions.config as Partial<BodyRules>;
    if (type.startsWith(LINKED_JSON) && !linkedJson && body.length > 0) throw unsupportedMediaType(type);
    return readJsonBody(body);
  });
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else done(unsupportedMediaType(request.headers['content-type'] ?? 'of no named type'));
  });
}
