import { existsSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { load } from 'js-yaml';
import { dataFolder } from '../conformance/suites.js';
import type { Json } from './rice-trade.js';

const DATA = new URL('en18222/', dataFolder());

/** The published renderings of EN 18222, where they are at hand; `CONFORMANCE_DATA` names the folder around theirs. */
export const hasRenderings = existsSync(new URL('openepcis.openapi.yaml', DATA));
if (!hasRenderings) process.stderr.write(`!! No renderings of EN 18222 in ${DATA.pathname}: answers are NOT compared with them.\n`);

export const postmanCollection = (): Json => JSON.parse(readFileSync(new URL('basyx.postman_collection.json', DATA), 'utf8')) as Json;

export interface Answered {
  /** `/v1/dpps/{dppId}`. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly isFull: boolean;
  readonly body: unknown;
}

type Rendering = 'openepcis' | 'basyx';
const documents = new Map<Rendering, { readonly ajv: Ajv2020; readonly paths: Json }>();

/** A rendering with the named differences of docs/reference/dpp-conformance.md. */
function rendering(name: Rendering): { readonly ajv: Ajv2020; readonly paths: Json } {
  const known = documents.get(name);
  if (known) return known;
  const document = load(readFileSync(new URL(`${name}.openapi.yaml`, DATA), 'utf8')) as Json;
  const schemas = document['components']['schemas'] as Json;
  (name === 'basyx' ? asWrittenHere : withDiscriminators)(schemas);
  const ajv = new Ajv2020({ strict: false, allErrors: true, discriminator: false });
  addFormats.default(ajv);
  ajv.addSchema(document, name);
  const made = { ajv, paths: document['paths'] as Json };
  documents.set(name, made);
  return made;
}

/** What the service writes as the rendering with clauses has it. */
function asWrittenHere(schemas: Json): void {
  const { DigitalProductPassport: dpp, Granularity: granularity } = schemas;
  dpp['properties'].lastUpdated = dpp['properties'].lastUpdate;
  dpp['required'] = dpp['required'].map((one: string) => (one === 'lastUpdate' ? 'lastUpdated' : one));
  granularity['enum'] = granularity['enum'].map((one: string) => one.toLowerCase());
  for (const [name, schema] of Object.entries<Json>(schemas))
    if (/Element|Collection|Resource$/.test(name)) delete schema['additionalProperties'];
  // An integer is a number, too.
  schemas['CompressedDataElementValue'] = { anyOf: [...schemas['CompressedDataElementValue'].oneOf, { type: 'null' }] };
  const several = schemas['MultiValuedDataElement'] as Json;
  several['required'] = ['elementId', 'objectType', 'value'];
  several['properties'] = { ...several['properties'], value: { type: 'array' } };
  schemas['Result'] = {
    type: 'object',
    required: ['statusCode', 'message'],
    properties: { message: { type: 'array', minItems: 1, items: { $ref: '#/components/schemas/Message' } } },
  };
  schemas['Message']['required'] = ['code', 'correlationId', 'messageType', 'text'];
  const { items, cursor } = schemas['DPPIdSearchResult']['properties'] as Json;
  schemas['DPPIdSearchResult'] = {
    type: 'object',
    additionalProperties: false,
    required: ['dppIds'],
    properties: { dppIds: items, nextCursor: cursor },
  };
}

/** JSON Schema has no discriminators: `objectType` names the schema of an element. */
function withDiscriminators(schemas: Json): void {
  const { mapping } = schemas['DataElement']['discriminator'] as { mapping: Record<string, string> };
  schemas['DataElement'] = {
    oneOf: Object.entries(mapping).map(([name, $ref]) => ({
      allOf: [{ $ref }],
      required: ['elementId', 'objectType'],
      properties: { objectType: { const: name } },
    })),
  };
}

/** How an answer differs from a rendering. */
export function faultsAgainst(name: Rendering, { route, method, status, isFull, body }: Answered): string[] {
  const { ajv, paths } = rendering(name);
  const responses = paths[route]?.[method]?.responses as Json | undefined;
  if (!responses?.[String(status)]) return [`${name}: ${method} ${route} has no ${status}`];
  const pointer = (text: string): string => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));
  const { $ref } = responses[String(status)] as { $ref?: string };
  const at = $ref ? $ref.slice(2) : `paths/${pointer(route)}/${method}/responses/${status}`;
  // The value of an element is as BaSyx has it.
  if (name === 'openepcis' && route.includes('/elements/') && status === 200 && !isFull) return [];
  const named = schemaOf(name, route, status, isFull);
  const validate = ajv.compile({ $ref: `${name}#/${named ?? `${at}/content/${pointer('application/json')}/schema`}` });
  if (validate(body)) return [];
  return validate.errors!.map(({ instancePath, message }) => `${name}: ${method} ${route} ${status} ${instancePath} ${message}`);
}

/** The schema that the query flag chooses: a passport in one representation has the members of the other one, too. */
function schemaOf(name: Rendering, route: string, status: number, isFull: boolean): string | null {
  if (status !== 200) return null;
  if (route.includes('/elements/')) return `components/schemas/${isFull ? 'DataElement' : 'CompressedDataElementValue'}`;
  if (name === 'openepcis' && route !== '/v1/dppsByProductIds')
    return `components/schemas/DigitalProductPassport${isFull ? 'Full' : 'Compressed'}`;
  return null;
}
