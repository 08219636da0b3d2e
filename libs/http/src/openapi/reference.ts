import type { OpenAPIObject } from '@nestjs/swagger';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly minimum?: number;
}

export interface ReferenceParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

export interface ReferenceOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly group: string;
  readonly parameters: readonly ReferenceParameter[];
  /** Of a JSON body. */
  readonly body: Schema | null;
  /** Without a credential. */
  readonly open: boolean;
  readonly answers: readonly { readonly status: string; readonly description: string; readonly schema: Schema | null }[];
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** Objects of schemas that contain themselves end here. */
const DEEPEST = 5;

/** The OpenAPI document as its pages show it. */
export class Reference {
  readonly operations: readonly ReferenceOperation[];
  readonly groups: ReadonlyMap<string, readonly ReferenceOperation[]>;

  constructor(private readonly document: OpenAPIObject) {
    this.operations = Object.entries(document.paths).flatMap(([path, item]) =>
      METHODS.filter((method) => method in item).map((method) => operationOf(path, method, (item as never)[method])),
    );
    const groups = new Map<string, ReferenceOperation[]>();
    for (const operation of this.operations) groups.set(operation.group, [...(groups.get(operation.group) ?? []), operation]);
    this.groups = groups;
  }

  resolved(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1);
    const found = name === undefined ? schema : ((this.document.components?.schemas?.[name] ?? {}) as Schema);
    if (!found.allOf) return found;
    const parts = found.allOf.map((part) => this.resolved(part));
    const required = parts.flatMap((part) => part.required ?? []);
    return { ...found, type: 'object', properties: Object.assign({}, ...parts.map((part) => part.properties ?? {})) as never, required };
  }

  /** A value of this schema: its example, or one that is made of its parts; only what is required of objects. */
  exampleOf(given: Schema, depth = 0): unknown {
    const schema = this.resolved(given);
    const stated = schema.example ?? schema.examples?.[0] ?? schema.const ?? schema.default ?? schema.enum?.[0];
    if (stated !== undefined) return stated;
    const choice = schema.oneOf?.[0] ?? schema.anyOf?.[0];
    if (choice) return this.exampleOf(choice, depth);
    const type = [schema.type].flat()[0];
    if (type === 'array') return depth > DEEPEST ? [] : [this.exampleOf(schema.items ?? {}, depth + 1)];
    if (type === 'object' || schema.properties) return this.exampleObject(schema, depth);
    return (
      { integer: schema.minimum ?? 1, number: schema.minimum ?? 1, boolean: true, string: textExample(schema), null: null }[type ?? ''] ??
      {}
    );
  }

  private exampleObject({ properties = {}, required = [] }: Schema, depth: number): object {
    if (depth > DEEPEST) return {};
    const names = required.length > 0 ? required : Object.keys(properties).slice(0, 3);
    return Object.fromEntries(names.flatMap((name) => (properties[name] ? [[name, this.exampleOf(properties[name], depth + 1)]] : [])));
  }

  /** `string (date-time)`, `array of LotView`, `object | null`. */
  typeOf(schema: Schema): string {
    if (schema.$ref) return schema.$ref.split('/').at(-1)!;
    const choices = schema.oneOf ?? schema.anyOf;
    if (choices) return choices.map((one) => this.typeOf(one)).join(' | ');
    if (schema.items) return `array of ${this.typeOf(schema.items)}`;
    const types = [schema.type ?? 'any'].flat().join(' | ');
    return schema.format ? `${types} (${schema.format})` : types;
  }
}

const textExample = ({ format }: Schema): string =>
  ({
    'date-time': '2026-09-15T08:30:00Z',
    date: '2026-09-15',
    uri: 'https://example.com',
    email: 'you@example.com',
    uuid: '0b9a4c1e-6f0e-4b61-9d0f-3d0c5a2f7e11',
  })[format ?? ''] ?? 'text';

interface Written {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly ReferenceParameter[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
  readonly responses: Readonly<
    Record<string, { readonly description?: string; readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }>
  >;
  readonly security?: readonly object[];
}

function operationOf(path: string, method: string, written: Written): ReferenceOperation {
  const jsonOf = (content: Written['requestBody']): Schema | null => content?.content?.['application/json']?.schema ?? null;
  return {
    method: method.toUpperCase(),
    path,
    operationId: written.operationId,
    summary: written.summary ?? written.operationId,
    description: written.description ?? '',
    group: written.tags?.[0] ?? 'Other',
    parameters: written.parameters ?? [],
    body: jsonOf(written.requestBody),
    open: (written.security ?? []).length === 0,
    answers: Object.entries(written.responses).map(([status, { description = '', content }]) => ({
      status,
      description,
      schema: status.startsWith('2') && content ? jsonOf({ content }) : null,
    })),
  };
}
