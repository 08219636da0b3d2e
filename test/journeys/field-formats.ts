/**
 * The rules of published standards for their documents, written here because their schemas are not part of the repository: required
 * members and their types. `*` is each item of a list. `?` after a name marks an optional member.
 */
type Check = (value: unknown) => boolean;
type Rules = Readonly<Record<string, Check>>;

const text: Check = (value) => typeof value === 'string' && value !== '';
const matching =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value);
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
const list: Check = (value) => Array.isArray(value) && value.length > 0;
const number: Check = (value) => typeof value === 'number' && Number.isFinite(value);

const time = matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const decimal = matching(/^-?\d+(\.\d+)?$/);
const positive: Check = (value) => decimal(value) && Number(value) > 0;
const country = matching(/^[A-Z]{2}$/);

/** wbcsd/data-exchange-protocol v3.0.0, ProductFootprint and CarbonFootprint. */
export const PACT: Rules = {
  id: matching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/),
  specVersion: oneOf('3.0.0'),
  created: time,
  status: oneOf('Active', 'Deprecated'),
  companyName: text,
  companyIds: list,
  'companyIds.*': matching(/^urn:/),
  productDescription: text,
  productIds: list,
  'productIds.*': matching(/^urn:/),
  productNameCompany: text,
  'pcf.declaredUnitOfMeasurement': oneOf(
    ...[
      'liter',
      'kilogram',
      'cubic meter',
      'kilowatt hour',
      'megajoule',
      'ton kilometer',
      'square meter',
      'piece',
      'hour',
      'megabit second',
    ],
  ),
  'pcf.declaredUnitAmount': positive,
  'pcf.productMassPerDeclaredUnit': positive,
  'pcf.referencePeriodStart': time,
  'pcf.referencePeriodEnd': time,
  'pcf.boundaryProcessesDescription': text,
  'pcf.pcfExcludingBiogenicUptake': decimal,
  'pcf.pcfIncludingBiogenicUptake': decimal,
  'pcf.ipccCharacterizationFactors': list,
  'pcf.ipccCharacterizationFactors.*': oneOf('AR5', 'AR6'),
  'pcf.crossSectoralStandards': list,
  'pcf.exemptedEmissionsPercent': decimal,
  'pcf.fossilGhgEmissions': decimal,
  'pcf.fossilCarbonContent': decimal,
};

/** GeoJSON as the information system of the EUDR takes it. */
export const EUDR: Rules = {
  type: oneOf('FeatureCollection'),
  features: list,
  'features.*.type': oneOf('Feature'),
  'features.*.properties.ProducerName': text,
  'features.*.properties.ProducerCountry': country,
  'features.*.properties.ProductionPlace': text,
  'features.*.properties.Area?': number,
  'features.*.geometry.type': oneOf('Point', 'Polygon', 'MultiPolygon'),
  'features.*.geometry.coordinates': list,
};

/** Pointers to what breaks a rule. */
export const faultsOf = (document: unknown, rules: Rules): string[] =>
  Object.entries(rules).flatMap(([path, check]) => broken(document, path.split('.'), check, ''));

function broken(value: unknown, [part, ...rest]: readonly string[], check: Check, at: string): string[] {
  if (part === undefined) return check(value) ? [] : [at];
  if (part === '*') return Array.isArray(value) ? value.flatMap((item, i) => broken(item, rest, check, `${at}/${i}`)) : [at];
  const name = part.replace(/\?$/, '');
  const inner = (value as Record<string, unknown> | null | undefined)?.[name];
  return inner === undefined && part.endsWith('?') ? [] : broken(inner, rest, check, `${at}/${name}`);
}
