import type { openApiDocument } from '#http';
import { BY_FORMAT, HOSTILE_NUMBERS, HOSTILE_TEXTS, ODD_NAMES, RAW_BODIES, RAW_SEGMENTS, WRONG_VALUES } from './hostile-values.js';
import { isList, type Json, placesIn, replaced, serialized, text } from './json-places.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly Json[];
  readonly const?: Json;
  readonly example?: Json;
  readonly examples?: readonly Json[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly nullable?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
}
interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema?: Schema;
  readonly example?: Json;
}
interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body?: Schema;
  readonly bodyExamples: readonly Json[];
}

export interface FuzzedRequest {
  /** `POST /api/v1/events/prepare` */
  readonly operation: string;
  readonly method: string;
  /** With its query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Text of the body; undefined where none is sent. */
  readonly body?: string;
}

/**
 * Makes requests from an OpenAPI document: valid ones with one to three places changed into what clients send by mistake or on purpose.
 * The same seed makes the same requests.
 */
export class RequestFuzzer {
  private readonly operations: readonly Operation[];
  private readonly schemas: Readonly<Record<string, Schema>>;
  private made = 0;

  /**
   * @param idsOf real values of a path parameter: `tokenId` of `/api/v1/nfts/{tokenId}`
   * @param except operations that would end the run, as `POST /api/v2/auth/logout`
   */
  constructor(
    document: ReturnType<typeof openApiDocument>,
    private readonly random: () => number,
    private readonly idsOf: (parameter: string, path: string) => readonly string[],
    except: ReadonlySet<string> = new Set(),
  ) {
    this.schemas = (document.components?.schemas ?? {}) as never;
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, Record<string, unknown>>).flatMap(([method, operation]) =>
        except.has(`${method.toUpperCase()} ${path}`) ? [] : [operationOf(method.toUpperCase(), path, operation)],
      ),
    );
  }

  get size(): number {
    return this.operations.length;
  }

  /** Every operation in its row, again and again. */
  next(): FuzzedRequest {
    const operation = this.operations[this.made++ % this.operations.length]!;
    const headers: Record<string, string> = {};
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => this.pathValue(name, operation.path));
    const query = this.query(operation.parameters.filter((one) => one.in === 'query'));
    if (this.chance(0.1)) headers['idempotency-key'] = this.chance(0.5) ? `key-${this.pick([1, 2, 3])}` : this.header();
    if (this.chance(0.1)) headers['if-match'] = this.pick(['*', '"x"', 'W/"x"', '"a", "b"', 'x', '']);
    if (this.chance(0.1))
      headers['accept'] = this.pick(['*/*', 'text/html', 'application/json;q=0', 'a', 'application/ld+json', 'text/csv']);
    const body = this.body(operation, headers);
    const { method } = operation;
    return { operation: `${method} ${operation.path}`, method, url: path + query, headers, ...(body !== undefined && { body }) };
  }

  /** Each place of each body, once with each wrong value, in an otherwise valid request. */
  *everyPlace(): Generator<FuzzedRequest> {
    for (const operation of this.operations)
      for (const body of this.samplesOf(operation))
        for (const place of placesIn(body))
          for (const value of WRONG_VALUES)
            yield {
              operation: `${operation.method} ${operation.path}`,
              method: operation.method,
              url: operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
                encodeURIComponent(this.idsOf(name, operation.path)[0] ?? 'x'),
              ),
              headers: { 'content-type': JSON_TYPE },
              body: serialized(replaced(body, place, value)),
            };
  }

  /** Bodies that name as many members as the schema and its examples know. */
  private samplesOf({ body, bodyExamples }: Operation): readonly Json[] {
    return body ? [...bodyExamples.slice(0, 1), this.fullValue(body)] : [];
  }

  private fullValue(schema: Schema, depth = 0): Json {
    if (schema.$ref) return this.fullValue(this.schemas[schema.$ref.split('/').at(-1)!] ?? {}, depth);
    if (schema.properties && depth < 4)
      return Object.fromEntries(Object.entries(schema.properties).map(([name, part]) => [name, this.fullValue(part, depth + 1)]));
    if (schema.items && depth < 4) return [this.fullValue(schema.items, depth + 1)];
    return this.valueOf(schema, depth);
  }

  private pathValue(name: string, path: string): string {
    const known = this.idsOf(name, path);
    if (known.length > 0 && this.chance(0.7)) return encodeURIComponent(this.pick(known));
    return this.chance(0.2) ? this.pick(RAW_SEGMENTS) : encodeURIComponent(text(this.pick(HOSTILE_TEXTS)) || 'x');
  }

  private query(parameters: readonly Parameter[]): string {
    const pairs: string[] = [];
    for (const { name, required = false, schema = {}, example } of parameters) {
      if (!this.chance(required ? 0.9 : 0.35)) continue;
      const value = this.chance(0.6) ? (example ?? this.valueOf(schema)) : this.pick<Json>([...HOSTILE_TEXTS, ...HOSTILE_NUMBERS]);
      pairs.push(`${name}=${this.chance(0.05) ? this.pick(RAW_SEGMENTS) : encodeURIComponent(text(value))}`);
      if (this.chance(0.05)) pairs.push(pairs.at(-1)!);
    }
    if (this.chance(0.05)) pairs.push(this.pick(['x=1', 'limit', '&&', 'a[b]=c', '__proto__=1', '=']));
    return pairs.length > 0 ? `?${pairs.join('&')}` : '';
  }

  private body({ body, bodyExamples, method }: Operation, headers: Record<string, string>): string | undefined {
    if (method === 'GET' || (!body && !this.chance(0.1))) return undefined;
    if (!body) {
      // A route without a body reads none: what it is sent there changes nothing, but has to be JSON.
      headers['content-type'] = JSON_TYPE;
      return this.pick(['{}', '{']);
    }
    headers['content-type'] = this.chance(0.04)
      ? this.pick(['text/plain', 'application/xml', 'application/json; charset=latin1', ''])
      : JSON_TYPE;
    if (this.chance(0.04)) return this.pick(RAW_BODIES);
    let value: Json = bodyExamples.length > 0 && this.chance(0.5) ? this.pick(bodyExamples) : this.valueOf(body);
    for (let changes = this.pick([0, 1, 1, 1, 2, 3]); changes > 0; changes--) value = this.changed(value);
    return serialized(value);
  }

  /** A value that the schema allows, as far as it says; formats by example. */
  private valueOf(schema: Schema, depth = 0): Json {
    if (schema.$ref) return this.valueOf(this.schemas[schema.$ref.split('/').at(-1)!] ?? {}, depth);
    const sample = schema.example ?? schema.const ?? (schema.examples && this.pick(schema.examples));
    if (sample !== undefined && this.chance(0.7)) return sample;
    if (schema.enum) return this.pick(schema.enum);
    const choices = schema.oneOf ?? schema.anyOf;
    if (choices) return this.valueOf(this.pick(choices), depth);
    if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => this.valueOf(part, depth))) as Json;
    const type = typeof schema.type === 'string' || schema.type === undefined ? schema.type : this.pick(schema.type);
    return this.ofType(type, schema, depth);
  }

  private ofType(type: string | undefined, schema: Schema, depth: number): Json {
    if (type === 'object' || schema.properties) {
      const required = new Set(schema.required ?? []);
      const chosen = Object.entries(schema.properties ?? {}).filter(([name]) => depth < 6 && this.chance(required.has(name) ? 0.97 : 0.4));
      return Object.fromEntries(chosen.map(([name, part]) => [name, this.valueOf(part, depth + 1)]));
    }
    if (type === 'array') return Array.from({ length: this.pick([0, 1, 1, 2]) }, () => this.valueOf(schema.items ?? {}, depth + 1));
    if (type === 'integer' || type === 'number') return this.pick([schema.minimum ?? 1, schema.maximum ?? 7, 1]);
    if (type === 'boolean') return this.chance(0.5);
    if (type === 'null') return null;
    return this.pick(BY_FORMAT[schema.format ?? ''] ?? ['abc', 'Lot-1', 'OBSERVE']);
  }

  /** The value with one place of it changed: another value, a member less, one more. */
  private changed(value: Json): Json {
    if (typeof value !== 'object' || value === null || this.chance(0.15)) return this.hostile();
    if (isList(value)) {
      if (value.length === 0 || this.chance(0.2)) return [...value, this.hostile()];
      const at = Math.floor(this.random() * value.length);
      return value.map((item, i) => (i === at ? this.changed(item) : item));
    }
    const names = Object.keys(value);
    if (names.length === 0 || this.chance(0.1)) return { ...value, [this.pick(ODD_NAMES)]: this.hostile() };
    const name = this.pick(names);
    const { [name]: taken, ...rest } = value;
    return this.chance(0.15) ? rest : { ...value, [name]: this.chance(0.5) ? this.hostile() : this.changed(taken!) };
  }

  private hostile(): Json {
    return this.pick<Json>([null, true, [], {}, [null], { a: null }, ...HOSTILE_TEXTS, ...HOSTILE_NUMBERS]);
  }

  private header(): string {
    return this.pick(['', 'a'.repeat(300), 'é', '\t', 'x y', 'null', '0']);
  }

  private chance(part: number): boolean {
    return this.random() < part;
  }

  private pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)]!;
  }
}

function operationOf(method: string, path: string, operation: Record<string, unknown>): Operation {
  const content = (
    operation['requestBody'] as { content?: Record<string, { schema?: Schema; example?: Json; examples?: object }> } | undefined
  )?.content;
  const media = content && (content[JSON_TYPE] ?? Object.values(content)[0]);
  const named = Object.values((media?.examples ?? {}) as Record<string, { value?: Json }>).flatMap(({ value }) =>
    value === undefined ? [] : [value],
  );
  return {
    method,
    path,
    parameters: (operation['parameters'] as readonly Parameter[] | undefined) ?? [],
    ...(media?.schema && { body: media.schema }),
    bodyExamples: media?.example === undefined ? named : [media.example, ...named],
  };
}

const JSON_TYPE = 'application/json';
