import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { API_KEY, BEARER, describeOperation, LIMIT_HEADERS, type Operation } from './describe-operation.js';
import { operationName } from './operation-name.js';
import { GROUPS } from './groups.js';
import { REFERENCE_POLICY, groupPage, introductionPage, slugOf } from './reference-html.js';
import { Reference } from './reference.js';
import { swagger2 } from './swagger2.js';
import { PROBLEM_SCHEMA } from '../problems/api-problems.js';
import { contentTag, hasState } from '../responses/entity-tag.js';
import { type Coding, codingFor, compressed, vary } from '../responses/compress.js';

/**
 * Serves `/openapi.json` (3.1), `/openapi/v2.json` (Swagger 2.0) and pages for people at `/docs`; `/docs/console` is Swagger UI, with assets from the installed packages and none
 * from other hosts. Call it before `listen`. `servers` is the address of the request.
 */
export function openApi(app: NestFastifyApplication): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  let cached: OpenAPIObject | null = null;
  const document = (): OpenAPIObject => (cached ??= openApiDocument(app));
  serveDocument(fastify, '/openapi/v2.json', (origin) => swagger2(document(), new URL(origin)));
  serveDocument(fastify, '/openapi.json', (origin) => ({ ...document(), servers: [{ url: origin }] }));
  const folder = swaggerUi();
  for (const [file, type] of Object.entries(ASSETS))
    fastify.get(`/docs/assets/${file}`, (_request, reply) => {
      void reply
        .header('cache-control', 'public, max-age=86400')
        .type(type)
        .send(createReadStream(join(folder, file)));
    });
  servePages(fastify, document);
  fastify.get('/docs/console', (_request, reply) => {
    void reply.header('content-security-policy', PAGE_POLICY).type('text/html; charset=utf-8').send(PAGE);
  });
  fastify.get('/docs/start.js', (_request, reply) => {
    void reply.type('text/javascript; charset=utf-8').send(START);
  });
}

/** `/docs`: an introduction with the groups of operations, and a page for each group; written when somebody first asks. */
function servePages(fastify: FastifyInstance, document: () => OpenAPIObject): void {
  let pages: ReadonlyMap<string, string> | null = null;
  const show = (name: string, reply: FastifyReply): void => {
    pages ??= referencePages(document());
    const page = pages.get(name);
    if (page) void reply.header('content-security-policy', REFERENCE_POLICY).type('text/html; charset=utf-8').send(page);
    else void reply.status(404).type('text/plain; charset=utf-8').send('No such group of operations. The list is at /docs.\n');
  };
  fastify.get('/docs', (_request, reply) => show('', reply));
  fastify.get<{ Params: { group: string } }>('/docs/:group', (request, reply) => show(request.params.group, reply));
}

function referencePages(document: OpenAPIObject): ReadonlyMap<string, string> {
  const reference = new Reference(document);
  const groups = [...reference.groups.keys()].map((name) => [slugOf(name), groupPage(reference, name)] as const);
  return new Map([['', introductionPage(reference)], ...groups]);
}

interface WrittenDocument {
  readonly etag: string;
  readonly plain: Buffer;
  readonly coded: Map<Coding, Promise<Buffer>>;
}

/** Addresses for which a document is kept as it was written: one where PUBLIC_URL is set, otherwise what clients name as the host. */
const MOST_ORIGINS = 4;

/** Writes, hashes and compresses a document of more than a megabyte once for each address, and answers 304 to those who have it. */
function serveDocument(fastify: FastifyInstance, path: string, documentAt: (origin: string) => object): void {
  const written = new Map<string, WrittenDocument>();
  const at = (origin: string): WrittenDocument => {
    const known = written.get(origin);
    if (known) return known;
    if (written.size >= MOST_ORIGINS) written.clear();
    const plain = Buffer.from(JSON.stringify(documentAt(origin)));
    const made = { etag: `W/${contentTag(plain)}`, plain, coded: new Map() };
    written.set(origin, made);
    return made;
  };
  fastify.get(path, async (request, reply) => {
    const { etag, plain, coded } = at(request.publicOrigin);
    void reply.header('etag', etag).header('cache-control', 'public, max-age=300, must-revalidate');
    // Its address is the one of the request, which a proxy in front may name.
    for (const name of ['Accept-Encoding', 'X-Forwarded-Host', 'X-Forwarded-Proto']) vary(reply, name);
    if (hasState(request.headers['if-none-match'], etag)) return reply.code(304).send();
    void reply.type('application/json; charset=utf-8');
    const coding = codingFor(request.headers['accept-encoding']);
    if (coding === null) return reply.send(plain);
    if (!coded.has(coding)) coded.set(coding, compressed(plain, coding));
    return reply.header('content-encoding', coding).send(await coded.get(coding));
  });
}

/** swagger-ui-dist is a dependency of @nestjs/swagger, so it is resolved from there. */
function swaggerUi(): string {
  const nestSwagger = createRequire(import.meta.url).resolve('@nestjs/swagger');
  return dirname(createRequire(nestSwagger).resolve('swagger-ui-dist/package.json'));
}

/** The three files that the page needs; nothing else of the package is served. */
const ASSETS = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Traceability Service API</title>
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<link rel="icon" href="/docs/assets/favicon-32x32.png" sizes="32x32">
</head>
<body>
<div id="api"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#api', deepLinking: true, persistAuthorization: false, validatorUrl: null });
`;

/** Of the operation that lists them: what the service sends, as `webhooks` of OpenAPI 3.1. Its value is a path item a message. */
export const WEBHOOKS_EXTENSION = 'x-webhooks';

/** The OpenAPI 3.1 document of every controller of the application, without `servers`. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const description = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Traceability Service')
    .setDescription('Multi-party value-chain traceability, compliance and product passports. Errors are RFC 9457 problem details.')
    .setVersion('1')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }, BEARER)
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-Key' }, API_KEY)
    .build();
  const document = SwaggerModule.createDocument(app, description);
  document.components ??= {};
  document.components.schemas = { ...document.components.schemas, Problem: PROBLEM_SCHEMA as never };
  document.components.headers = { ...document.components.headers, ...LIMIT_HEADERS };
  const paths = new Set(Object.keys(document.paths));
  document.tags = Object.entries(GROUPS).map(([name, about]) => ({ name, description: about }));
  const webhooks: Record<string, object> = {};
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(operations as Record<string, Operation>)) {
      Object.assign(webhooks, operation[WEBHOOKS_EXTENSION]);
      delete operation[WEBHOOKS_EXTENSION];
      // Nest's own name is that of the class and its method.
      if (operation.operationId?.includes('Controller_') ?? true) operation.operationId = operationName(method, path, paths);
      describeOperation(operation, method, path);
    }
  return withoutNullable({ ...document, ...(Object.keys(webhooks).length > 0 && { webhooks }) }) as OpenAPIObject;
}

/** OpenAPI 3.1 has no `nullable`: null is one of the types (JSON Schema 2020-12). */
function withoutNullable(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutNullable);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, ...rest } = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withoutNullable(value)]));
  if (nullable === undefined || typeof nullable === 'object') return nullable === undefined ? rest : { ...rest, nullable };
  if (nullable !== true) return rest;
  if (typeof rest.type === 'string')
    return { ...rest, type: [rest.type, 'null'], ...(Array.isArray(rest.enum) && { enum: [...(rest.enum as unknown[]), null] }) };
  const { description, example, ...schema } = rest;
  return {
    ...(description !== undefined && { description }),
    ...(example !== undefined && { example }),
    anyOf: [schema, { type: 'null' }],
  };
}
