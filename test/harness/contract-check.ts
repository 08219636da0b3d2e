import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { ModulesContainer } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApiDocument } from '#http';

interface Media {
  readonly schema?: object;
  readonly examples?: Readonly<Record<string, unknown>>;
}
interface Route {
  readonly name: string;
  readonly pattern: RegExp;
  readonly method: string;
  /** The path as the document has it. */
  readonly pointer: string;
}
interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> } | undefined>>;
}

const isJson = (type: string): boolean => /[/+]json$/.test(type);

/**
 * Checks every answer of a running service, to any client, against its own OpenAPI document; and every request body that was accepted: a
 * body that works must be allowed by the document.
 */
export class ContractCheck {
  /** Route, status and how it differs from the document; each once. */
  readonly violations = new Set<string>();
  /** Operations that answered 2xx: `GET /api/v1/nfts`. */
  readonly seen = new Set<string>();
  /** Operations of the document. */
  readonly documented: readonly string[];
  private readonly routes: readonly Route[];
  private readonly operations: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  private readonly validators: Validators;

  /** @param except operations of the test itself, by method and path: `GET /api/v1/asked/member` */
  constructor(
    app: NestFastifyApplication,
    private readonly except?: RegExp,
  ) {
    const { document, validators } = Described.by(app);
    this.validators = validators;
    this.operations = document.paths as never;
    this.routes = Object.entries(this.operations)
      // A path without a parameter goes before one that has it there.
      .toSorted(([a], [b]) => a.split('{').length - b.split('{').length || Number(a === '/{path}') - Number(b === '/{path}'))
      .flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => ({
          name: `${method.toUpperCase()} ${path}`,
          pattern: patternOf(path),
          method: method.toUpperCase(),
          pointer: path,
        })),
      );
    this.documented = this.routes.map(({ name }) => name);
    app.getHttpServer().prependListener('request', (request: IncomingMessage, response: ServerResponse) => this.watch(request, response));
  }

  /** Called at the end of a suite. @throws Error with every answer that differs from the document */
  mustHold(): void {
    const found = [...this.violations];
    this.violations.clear();
    if (found.length > 0) throw new Error(`answers differ from the OpenAPI document:\n${found.join('\n')}`);
  }

  private watch(request: IncomingMessage, response: ServerResponse): void {
    const sent: Buffer[] = [];
    const emit = request.emit.bind(request) as (...a: unknown[]) => boolean;
    request.emit = (...given: unknown[]): boolean => {
      if (given[0] === 'data') sent.push(given[1] as Buffer);
      return emit(...given);
    };
    const chunks: Buffer[] = [];
    const keep = (chunk: unknown): void => {
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as string));
    };
    const [write, end] = [response.write.bind(response), response.end.bind(response)] as [
      (...a: unknown[]) => boolean,
      typeof response.end,
    ];
    response.write = (...given: unknown[]): boolean => {
      keep(given[0]);
      return write(...given);
    };
    response.end = ((...given: unknown[]) => {
      keep(given[0]);
      return (end as (...a: unknown[]) => ServerResponse)(...given);
    }) as typeof response.end;
    // Headers that are written in one call are not kept by Node.
    let type = '';
    let coding = '';
    const writeHead = response.writeHead.bind(response) as (...a: unknown[]) => ServerResponse;
    response.writeHead = (...given: unknown[]) => {
      type = headerIn(given.at(-1), 'content-type') || type;
      coding = headerIn(given.at(-1), 'content-encoding') || coding;
      return writeHead(...given);
    };
    response.once('finish', () => {
      const stated = type || String(response.getHeader('content-type') ?? '');
      const body = decoded(Buffer.concat(chunks), coding || String(response.getHeader('content-encoding') ?? ''));
      this.check(request, response.statusCode, stated.split(';', 1)[0]!, body.toString(), Buffer.concat(sent).toString());
    });
  }

  private check({ method = '', url = '', headers }: IncomingMessage, status: number, type: string, body: string, sent: string): void {
    const path = url.split('?', 1)[0]!;
    const route = this.routes.find((one) => one.method === method && one.pattern.test(path));
    if (!route || this.except?.test(route.name)) return;
    if (status < 300) this.seen.add(route.name);
    const report = (fault: string): unknown => this.violations.add(`${route.name} ${status}: ${fault}`);
    if (status < 300 && !JUDGES.has(route.name)) this.checkTaken(route, (headers['content-type'] ?? '').split(';', 1)[0]!, sent, report);
    const described = this.operations[route.pointer]![method.toLowerCase()]!.responses[status];
    if (!described) return void report(`status not documented ${body.slice(0, 120)}`);
    // A table without rows is empty.
    if (body === '' && (isJson(type) || type === ''))
      return void (described.content && status !== 304 && report('no body, and one is documented'));
    const media = described.content?.[type];
    if (!media) return void report(`${type} not documented`);
    if (!isJson(type)) return;
    const value: unknown = JSON.parse(body);
    if (status >= 400 && !Object.hasOwn(media.examples ?? {}, (value as { code: string }).code))
      report(`code ${(value as { code: string }).code} not documented`);
    this.faultsOf(value, route, 'responses', String(status), 'content', type).forEach(report);
  }

  private checkTaken(route: Route, type: string, sent: string, report: (fault: string) => unknown): void {
    const { requestBody } = this.operations[route.pointer]![route.method.toLowerCase()]!;
    // An empty body may have any media type.
    if (sent === '' || (sent === '{}' && !requestBody)) return;
    if (!requestBody?.content[type]) return void report(`took ${type || 'a body of no type'}, which is not documented`);
    if (!isJson(type)) return;
    for (const fault of this.faultsOf(JSON.parse(sent), route, 'requestBody', 'content', type)) report(`took ${fault}`);
  }

  private faultsOf(value: unknown, { pointer, method }: Route, ...place: readonly string[]): readonly string[] {
    const validate = this.validators.at(['paths', pointer, method.toLowerCase(), ...place, 'schema']);
    if (validate(value)) return [];
    return validate.errors!.map(({ instancePath, message, params }) => `${unnumbered(instancePath)} ${message} ${JSON.stringify(params)}`);
  }
}

/**
 * The document of some controllers. Services of this process whose controllers have the same names share it: to write it takes as long as
 * to start the service.
 */
class Described {
  private static readonly known = new Map<string, Described>();
  readonly document: ReturnType<typeof openApiDocument>;
  readonly validators: Validators;

  private constructor(app: NestFastifyApplication) {
    this.document = openApiDocument(app);
    this.validators = new Validators(this.document);
  }

  static by(app: NestFastifyApplication): Described {
    const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
    const key = controllers
      .map(({ name }) => String(name))
      .toSorted()
      .join();
    const described = Described.known.get(key) ?? new Described(app);
    Described.known.set(key, described);
    return described;
  }
}

/** Compiled schemas of a document: compiling takes longer than most suites. */
class Validators {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, formats: { binary: true } });
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(document: object) {
    addFormats.default(this.ajv);
    this.ajv.addSchema(closed(document), 'openapi');
  }

  at(place: readonly string[]): ValidateFunction {
    const $ref = `openapi#/${place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
    const known = this.compiled.get($ref) ?? this.ajv.compile({ $ref });
    this.compiled.set($ref, known);
    return known;
  }
}

/** The resolver of GS1 Digital Links has the whole path for a parameter. */
const patternOf = (path: string): RegExp =>
  path === '/{path}' ? /^\/(\d{2,4}\/|[\w-]{10,}$)/ : new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`);

function headerIn(headers: unknown, name: string): string {
  const value = typeof headers === 'object' && headers !== null ? (headers as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' ? value : '';
}

function decoded(bytes: Buffer, coding: string): Buffer {
  if (coding === 'gzip') return gunzipSync(bytes);
  return coding === 'br' ? brotliDecompressSync(bytes) : bytes;
}

/** Their answer says what is wrong in the request. */
const JUDGES = new Set([
  'POST /api/v1/events/validate',
  'POST /api/v1/events/prepare/batch',
  'POST /api/v1/process-maps/validate',
  'POST /api/v1/process-maps/try',
  'POST /api/v1/epcis/capture',
]);

const unnumbered = (pointer: string): string => pointer.replaceAll(/\/\d+(?=\/|$)/g, '/*');

/** The same document with every object closed that names its fields: an undocumented field is a fault too. */
function closed(node: unknown): never {
  const walk = (at: unknown, isProblem: boolean): unknown => {
    if (Array.isArray(at)) return at.map((item) => walk(item, isProblem));
    if (typeof at !== 'object' || at === null) return at;
    const inner = Object.fromEntries(Object.entries(at).map(([key, value]) => [key, walk(value, isProblem || key === 'Problem')]));
    const names = typeof inner.properties === 'object' && inner.type === 'object' && inner.additionalProperties === undefined;
    return names && !isProblem ? { ...inner, additionalProperties: false } : inner;
  };
  return walk(node, false) as never;
}
