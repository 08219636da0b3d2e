import type { IncomingMessage, ServerResponse } from 'node:http';
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

/**
 * Reads every answer of a running service, whoever asked, against its own OpenAPI document; and every body that it took: what is documented
 * must let in what works.
 */
export class ContractCheck {
  /** Route, status and what the document says otherwise; each once. */
  readonly violations = new Set<string>();
  /** Operations that answered 2xx: `GET /api/v1/nfts`. */
  readonly seen = new Set<string>();
  /** Operations of the document. */
  readonly documented: readonly string[];
  private readonly routes: readonly Route[];
  private readonly operations: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, formats: { binary: true } });
  private readonly compiled = new Map<string, ValidateFunction>();

  /** @param except operations of the test itself, by method and path: `GET /api/v1/asked/member` */
  constructor(
    app: NestFastifyApplication,
    private readonly except?: RegExp,
  ) {
    const document = openApiDocument(app);
    addFormats.default(this.ajv);
    this.ajv.addSchema(closed(document), 'openapi');
    this.operations = document.paths as never;
    this.routes = Object.entries(this.operations)
      // A path without a parameter goes before one that has it there.
      .toSorted(([a], [b]) => a.split('{').length - b.split('{').length)
      .flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => ({
          name: `${method.toUpperCase()} ${path}`,
          pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
          method: method.toUpperCase(),
          pointer: path,
        })),
      );
    this.documented = this.routes.map(({ name }) => name);
    app.getHttpServer().prependListener('request', (request: IncomingMessage, response: ServerResponse) => this.watch(request, response));
  }

  /** Called at the end of a suite. @throws Error with everything that was answered otherwise than it is documented */
  mustHold(): void {
    const told = [...this.violations];
    this.violations.clear();
    if (told.length > 0) throw new Error(`answered otherwise than the OpenAPI document says:\n${told.join('\n')}`);
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
    const writeHead = response.writeHead.bind(response) as (...a: unknown[]) => ServerResponse;
    response.writeHead = (...given: unknown[]) => {
      type = contentTypeIn(given.at(-1)) || type;
      return writeHead(...given);
    };
    response.once('finish', () => {
      const stated = type || String(response.getHeader('content-type') ?? '');
      this.check(request, response.statusCode, stated.split(';', 1)[0]!, Buffer.concat(chunks).toString(), Buffer.concat(sent).toString());
    });
  }

  private check({ method = '', url = '', headers }: IncomingMessage, status: number, type: string, body: string, sent: string): void {
    const path = url.split('?', 1)[0]!;
    const route = this.routes.find((one) => one.method === method && one.pattern.test(path));
    if (!route || this.except?.test(route.name)) return;
    if (status < 300) this.seen.add(route.name);
    const told = (fault: string): unknown => this.violations.add(`${route.name} ${status}: ${fault}`);
    if (status < 300 && !JUDGES.has(route.name)) this.checkTaken(route, (headers['content-type'] ?? '').split(';', 1)[0]!, sent, told);
    const described = this.operations[route.pointer]![method.toLowerCase()]!.responses[status];
    if (!described) return void told(`status not documented ${body.slice(0, 120)}`);
    if (body === '') return void (described.content && status !== 304 && told('no body, and one is documented'));
    const media = described.content?.[type];
    if (!media) return void told(`${type} not documented`);
    if (!/json$/.test(type)) return;
    const value: unknown = JSON.parse(body);
    if (status >= 400 && !Object.hasOwn(media.examples ?? {}, (value as { code: string }).code))
      told(`code ${(value as { code: string }).code} not documented`);
    this.faultsOf(value, route, 'responses', String(status), 'content', type).forEach(told);
  }

  private checkTaken(route: Route, type: string, sent: string, told: (fault: string) => unknown): void {
    const { requestBody } = this.operations[route.pointer]![route.method.toLowerCase()]!;
    // Whoever has nothing to say may say so in any way.
    if (sent === '' || (sent === '{}' && !requestBody)) return;
    if (!requestBody?.content[type]) return void told(`took ${type || 'a body of no type'}, which is not documented`);
    for (const fault of this.faultsOf(JSON.parse(sent), route, 'requestBody', 'content', type)) told(`took ${fault}`);
  }

  private faultsOf(value: unknown, { pointer, method }: Route, ...place: readonly string[]): readonly string[] {
    const validate = this.validator(['paths', pointer, method.toLowerCase(), ...place, 'schema']);
    if (validate(value)) return [];
    return validate.errors!.map(({ instancePath, message, params }) => `${unnumbered(instancePath)} ${message} ${JSON.stringify(params)}`);
  }

  private validator(place: readonly string[]): ValidateFunction {
    const $ref = `openapi#/${place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
    const known = this.compiled.get($ref) ?? this.ajv.compile({ $ref });
    this.compiled.set($ref, known);
    return known;
  }
}

function contentTypeIn(headers: unknown): string {
  const type = typeof headers === 'object' && headers !== null ? (headers as Record<string, unknown>)['content-type'] : undefined;
  return typeof type === 'string' ? type : '';
}

/** What is wrong in a request to these stands in their answer. */
const JUDGES = new Set([
  'POST /api/v1/events/validate',
  'POST /api/v1/events/prepare/batch',
  'POST /api/v1/process-maps/validate',
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
