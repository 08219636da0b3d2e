import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApiDocument } from '#http';

interface Media {
  readonly schema?: object;
  readonly examples?: Readonly<Record<string, unknown>>;
}
interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> } | undefined>>;
}

/** Reads every answer of a running service, whoever asked, against its own OpenAPI document. */
export class ContractCheck {
  /** Route, status and what the document says otherwise; each once. */
  readonly violations = new Set<string>();
  /** Operations that answered 2xx: `GET /api/v1/nfts`. */
  readonly seen = new Set<string>();
  /** Operations of the document. */
  readonly documented: readonly string[];
  private readonly routes: readonly {
    readonly name: string;
    readonly pattern: RegExp;
    readonly method: string;
    readonly pointer: string;
  }[];
  private readonly operations: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, formats: { binary: true } });
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(app: NestFastifyApplication) {
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

  private watch(request: IncomingMessage, response: ServerResponse): void {
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
      this.check(request, response.statusCode, stated.split(';', 1)[0]!, Buffer.concat(chunks).toString());
    });
  }

  private check({ method = '', url = '' }: IncomingMessage, status: number, type: string, body: string): void {
    const path = url.split('?', 1)[0]!;
    const route = this.routes.find((one) => one.method === method && one.pattern.test(path));
    if (!route) return;
    if (status < 300) this.seen.add(route.name);
    const told = (fault: string): unknown => this.violations.add(`${route.name} ${status}: ${fault}`);
    const described = this.operations[route.pointer]![method.toLowerCase()]!.responses[status];
    if (!described) return void told(`status not documented ${body.slice(0, 120)}`);
    if (body === '') return void (described.content && status !== 304 && told('no body, and one is documented'));
    const media = described.content?.[type];
    if (!media) return void told(`${type} not documented`);
    if (!/json$/.test(type)) return;
    const value: unknown = JSON.parse(body);
    if (status >= 400 && !Object.hasOwn(media.examples ?? {}, (value as { code: string }).code))
      told(`code ${(value as { code: string }).code} not documented`);
    const validate = this.validator(route.pointer, method.toLowerCase(), status, type);
    if (!validate(value))
      for (const { instancePath, message, params } of validate.errors!)
        told(`${unnumbered(instancePath)} ${message} ${JSON.stringify(params)}`);
  }

  private validator(path: string, method: string, status: number, type: string): ValidateFunction {
    const place = ['paths', path, method, 'responses', String(status), 'content', type, 'schema'];
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
