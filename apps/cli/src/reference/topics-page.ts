import { TOPIC_CATALOGUE } from '#webhooks';

type Schema = Readonly<Record<string, unknown>>;

/** Every topic with the fields of its `data` and an example, from the catalogue that `GET /api/v1/webhooks/topics` answers. */
export const topicsPage = (): string =>
  [
    '# Topics',
    '',
    '<!-- Made from libs/webhooks by `npm run cli -- reference`; a test compares them. -->',
    '',
    'A delivery is one JSON object: `event` (the topic), `timestamp` (when it happened, RFC 3339) and `data`. The schemas themselves are answered by',
    '`GET /api/v1/webhooks/topics`. How to take a delivery: [receive webhooks](../how-to/receive-webhooks.md).',
    '',
    ...TOPIC_CATALOGUE.flatMap(({ topic, description, schema, example }) => [
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
