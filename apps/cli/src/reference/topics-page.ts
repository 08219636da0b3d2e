import { topicCatalogue } from '#webhooks';
import { topics } from '../../../runtime/src/index.js';

type Schema = Readonly<Record<string, unknown>>;

/** Every topic with the fields of its `data` and an example, from the catalogue of `GET /api/v1/webhooks/topics`. */
export const topicsPage = (): string =>
  [
    '# Topics',
    '',
    '<!-- Generated from the topics of the contexts by `npm run cli -- reference`; a test compares them. -->',
    '',
    'A delivery is one JSON object: `event` (the topic), `timestamp` (when it happened, RFC 3339) and `data`. The schemas are at',
    '`GET /api/v1/webhooks/topics`. How to handle a delivery: [receive webhooks](../how-to/receive-webhooks.md).',
    '',
    ...topicCatalogue(topics).topics.flatMap(({ topic, description, schema, example }) => [
      `## ${topic}`,
      description,
      '',
      '| field of `data` | type |',
      '|---|---|',
      ...Object.entries(fieldsOf(schema)).map(([name, field]) => `| \`${name}\` | ${typeOf(field)} |`),
      '',
      '```json',
      JSON.stringify(example, null, 2),
      '```',
      '',
    ]),
  ].join('\n');

const fieldsOf = (schema: Schema): Readonly<Record<string, Schema>> =>
  (schema as { properties: { data: { properties: Record<string, Schema> } } }).properties.data.properties;

function typeOf({ type, format, enum: values }: Schema & { readonly format?: string }): string {
  const types = [type ?? 'any'].flat().map(String).join(' or ');
  if (Array.isArray(values)) return values.map((value) => `\`${String(value)}\``).join(', ');
  return format === undefined ? types : `${types}, ${format}`;
}
