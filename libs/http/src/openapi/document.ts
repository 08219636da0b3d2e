import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { PROBLEM_SCHEMA } from '../errors/api-problems.js';
import { API_KEY, BEARER, type Operation } from './operation.js';
import { describeIdempotency } from './describe-idempotency.js';
import { describeExamples, describeOutage, describePreparation, describeRequestFaults } from './describe-problems.js';
import { LIMIT_HEADERS, describeLimit, describeSecurity } from './describe-access.js';

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
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(operations as Record<string, Operation>)) {
      describeIdempotency(operation, method, path);
      describeRequestFaults(operation);
      describeSecurity(operation);
      describePreparation(operation, path);
      describeLimit(operation);
      describeOutage(operation, path);
      describeExamples(operation, path);
    }
  return withoutNullable(document) as OpenAPIObject;
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
