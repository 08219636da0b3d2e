const NOT_EMPTY = { type: 'string', minLength: 1 };

/** CloudEvents 1.0.2: the attributes of section 3 and their JSON form (JSON Event Format 1.0.2, sections 2 and 3). */
export const CLOUD_EVENT_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['specversion', 'id', 'source', 'type'],
  properties: {
    specversion: { const: '1.0' },
    id: NOT_EMPTY,
    source: { ...NOT_EMPTY, format: 'uri-reference' },
    type: NOT_EMPTY,
    subject: NOT_EMPTY,
    time: { type: 'string', format: 'date-time' },
    datacontenttype: { type: 'string', pattern: '^[\\w.+-]+/[\\w.+-]+(;.*)?$' },
    dataschema: { type: 'string', format: 'uri' },
    data: {},
    data_base64: { type: 'string', contentEncoding: 'base64' },
  },
  not: { required: ['data', 'data_base64'] },
  // Extensions: lower-case letters and digits; a text, a boolean or an integer of 32 bits.
  propertyNames: { anyOf: [{ pattern: '^[a-z0-9]{1,20}$' }, { const: 'data_base64' }] },
  additionalProperties: {
    anyOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'integer', minimum: -2_147_483_648, maximum: 2_147_483_647 }],
  },
};
