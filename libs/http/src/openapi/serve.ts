import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { openApiDocument } from './document.js';
import { swagger2 } from './swagger2.js';

/**
 * Serves `/openapi.json` (3.1), `/openapi/v2.json` (Swagger 2.0) and a page to read and try it at `/docs`, with assets from the installed packages: no
 * other host is asked. Call it before `listen`. `servers` is the address that the request was sent to.
 */
export function openApi(app: NestFastifyApplication): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  let made: OpenAPIObject | null = null;
  const document = (): OpenAPIObject => (made ??= openApiDocument(app));
  fastify.get('/openapi/v2.json', (request, reply) => {
    void reply.send(swagger2(document(), { host: request.host, scheme: request.protocol }));
  });
  fastify.get('/openapi.json', (request, reply) => {
    void reply.send({ ...document(), servers: [{ url: `${request.protocol}://${request.host}` }] });
  });
  const folder = swaggerUi();
  for (const [file, type] of Object.entries(ASSETS))
    fastify.get(`/docs/assets/${file}`, (_request, reply) => {
      void reply
        .header('cache-control', 'public, max-age=86400')
        .type(type)
        .send(createReadStream(join(folder, file)));
    });
  fastify.get('/docs', (_request, reply) => {
    void reply.header('content-security-policy', PAGE_POLICY).type('text/html; charset=utf-8').send(PAGE);
  });
  fastify.get('/docs/start.js', (_request, reply) => {
    void reply.type('text/javascript; charset=utf-8').send(START);
  });
}

/** swagger-ui-dist comes with @nestjs/swagger, so it is looked for from there. */
function swaggerUi(): string {
  const nestSwagger = createRequire(import.meta.url).resolve('@nestjs/swagger');
  return dirname(createRequire(nestSwagger).resolve('swagger-ui-dist/package.json'));
}

/** The three files that the page names; nothing else of the package is served. */
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
