/**
 * UNTP 0.7.0, the part that our documents use: written from the schemas that UN/CEFACT publishes (DigitalProductPassport.json and
 * DigitalTraceabilityEvent.json of version 0.7.0), whose licence does not allow a copy here. Members and required members are theirs.
 */
type Schema = Readonly<Record<string, unknown>>;

const text = { type: 'string', minLength: 1 };
const uri = { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9+.-]*:\\S+$' };
const time = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$' };
const day = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' };
const share = { type: 'number', minimum: 0, maximum: 1 };
const typed = (...names: readonly string[]): Schema => ({
  type: 'array',
  items: { type: 'string' },
  allOf: names.map((name) => ({ contains: { const: name } })),
});
const listOf = (items: Schema): Schema => ({ type: 'array', items });
/** An object of a class; members with a question mark are optional, and no other is allowed unless it is open. */
function object(names: readonly string[], members: Readonly<Record<string, Schema>>, isOpen = false): Schema {
  const named = Object.entries(members).map(([name, schema]) => [name.replace('?', ''), schema] as const);
  return {
    type: 'object',
    properties: { type: typed(...names), ...Object.fromEntries(named) },
    required: Object.keys(members).filter((name) => !name.endsWith('?')),
    ...(!isOpen && { additionalProperties: false }),
  };
}

const named = (name: string): Schema => object([name], { id: uri, name: text, 'registeredId?': text }, true);
const issuer = object(['CredentialIssuer'], {
  id: { type: 'string', pattern: '^did:[a-z0-9]+:\\S+$' },
  name: text,
  'issuerAlsoKnownAs?': listOf(named('Party')),
});
const classification = object(['Classification'], { code: text, name: text, 'definition?': text, schemeId: uri, schemeName: text });
const country = object(['Country'], { countryCode: { type: 'string', pattern: '^[A-Z]{2}$' }, 'countryName?': text });
const measure = object(['Measure'], {
  value: { type: 'number' },
  unit: { type: 'string', pattern: '^[A-Z0-9]{2,3}$' },
  'upperTolerance?': { type: 'number' },
  'lowerTolerance?': { type: 'number' },
});
const link = object(['Link'], {
  linkURL: uri,
  linkName: text,
  'digestMultibase?': { type: 'string', pattern: '^u[A-Za-z0-9_-]{46}$' },
  'mediaType?': text,
  'linkType?': text,
});
const ROLES = [
  'owner',
  'producer',
  'manufacturer',
  'processor',
  'operator',
  'inspector',
  'carrier',
  'consignor',
  'consignee',
  'distributor',
  'retailer',
  'brandOwner',
];
const partyRole = object(['PartyRole'], { role: { enum: ROLES }, party: named('Party') });
const material = object(
  ['Material'],
  { name: text, originCountry: country, materialType: classification, massFraction: share, 'mass?': measure },
  true,
);
const performance = object(['Performance'], { 'metric?': named('PerformanceMetric'), 'measure?': measure });
const statement = object(['Claim'], {
  id: uri,
  name: text,
  'description?': text,
  referenceCriteria: listOf(named('Criterion')),
  claimDate: day,
  claimedPerformance: listOf(performance),
  conformityTopic: listOf(object(['ConformityTopic'], { id: uri, name: text, 'definition?': text })),
  'evidence?': listOf(link),
});
const GRANULARITY = { enum: ['model', 'batch', 'item'] };

const product = object(['Product'], {
  id: uri,
  name: text,
  'description?': text,
  idScheme: named('IdentifierScheme'),
  'modelNumber?': text,
  'batchNumber?': text,
  'itemNumber?': text,
  idGranularity: GRANULARITY,
  productCategory: { ...listOf(classification), minItems: 1 },
  'relatedDocument?': listOf(link),
  'relatedParty?': listOf(partyRole),
  producedAtFacility: named('Facility'),
  'productionDate?': day,
  countryOfProduction: country,
  'dimensions?': object(['Dimension'], { 'weight?': measure, 'volume?': measure }, true),
  'materialProvenance?': listOf(material),
  'performanceClaim?': listOf(statement),
});

const credential = (name: string, credentialSubject: Schema): Schema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    type: typed(name, 'VerifiableCredential'),
    '@context': {
      type: 'array',
      prefixItems: [{ const: 'https://www.w3.org/ns/credentials/v2' }, { const: 'https://vocabulary.uncefact.org/untp/0.7.0/context/' }],
      minItems: 2,
      uniqueItems: true,
    },
    id: uri,
    issuer,
    name: text,
    validFrom: time,
    validUntil: time,
    credentialSubject,
  },
  required: ['type', '@context', 'id', 'issuer', 'validFrom', 'name', 'credentialSubject'],
});

/** DigitalProductPassport 0.7.0. */
export const UNTP_PASSPORT = credential('DigitalProductPassport', product);

const eventProduct = object(['EventProduct'], {
  product: object(
    ['Product'],
    { id: uri, name: text, idGranularity: GRANULARITY, 'batchNumber?': text, 'itemNumber?': text, 'modelNumber?': text },
    true,
  ),
  'quantity?': measure,
  'disposition?': { enum: ['new', 'inTransit', 'active', 'repaired', 'recalled', 'expired', 'consumed', 'recycled', 'disposed'] },
});
const event = (name: string, members: Readonly<Record<string, Schema>>): Schema =>
  object([name, 'LifecycleEvent'], { id: uri, name: text, eventDate: time, activityType: classification, ...members }, true);

/** DigitalTraceabilityEvent 0.7.0. */
export const UNTP_EVENTS = credential(
  'DigitalTraceabilityEvent',
  listOf({
    oneOf: [
      event('MakeEvent', { inputProduct: listOf(eventProduct), outputProduct: listOf(eventProduct), madeAtFacility: named('Facility') }),
      event('MoveEvent', { movedProduct: listOf(eventProduct), fromFacility: named('Facility'), toFacility: named('Facility') }),
      event('ModifyEvent', { modifiedProduct: listOf(eventProduct), modifiedAtFacility: named('Facility') }),
    ],
  }),
);
