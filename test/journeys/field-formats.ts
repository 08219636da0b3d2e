/**
 * What the published standards ask of their documents, as rules of our own (their schemas are not carried along): members that must be
 * there, and of what kind. `*` stands for each item of a list; a rule on a member that may be absent holds where it is there.
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
const ratio: Check = (value) => number(value) && (value as number) >= 0 && (value as number) <= 1;
const holding =
  (...values: readonly string[]): Check =>
  (value) =>
    Array.isArray(value) && values.every((one) => value.includes(one));

const uri = matching(/^[a-z][a-z0-9+.-]*:\S+$/i);
const time = matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const decimal = matching(/^-?\d+(\.\d+)?$/);
const positive: Check = (value) => decimal(value) && Number(value) > 0;
const country = matching(/^[A-Z]{2}$/);
const unit = matching(/^[A-Z0-9]{2,3}$/);

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

const CREDENTIAL: Rules = { id: uri, 'issuer.id': uri, 'issuer.name': text, 'issuer.type': holding('CredentialIssuer'), validFrom: time };

/** UNTP DigitalProductPassport 0.6.0. */
export const DPP: Rules = {
  ...CREDENTIAL,
  type: holding('DigitalProductPassport', 'VerifiableCredential'),
  '@context': holding('https://www.w3.org/ns/credentials/v2', 'https://test.uncefact.org/vocabulary/untp/dpp/0.6.0/'),
  'credentialSubject.type': holding('ProductPassport'),
  'credentialSubject.granularityLevel': oneOf('item', 'batch', 'model'),
  'credentialSubject.product.id': uri,
  'credentialSubject.product.name': text,
  'credentialSubject.product.productionDate?': matching(/^\d{4}-\d\d-\d\d$/),
  'credentialSubject.product.countryOfProduction?': country,
  'credentialSubject.product.producedByParty.id': uri,
  'credentialSubject.product.producedByParty.name': text,
  'credentialSubject.product.producedAtFacility.id': uri,
  'credentialSubject.product.producedAtFacility.name': text,
  'credentialSubject.product.dimensions.weight.value': number,
  'credentialSubject.product.dimensions.weight.unit': unit,
  'credentialSubject.product.productCategory.*.id': uri,
  'credentialSubject.product.productCategory.*.name': text,
  'credentialSubject.emissionsScorecard.carbonFootprint': number,
  'credentialSubject.emissionsScorecard.declaredUnit': unit,
  'credentialSubject.emissionsScorecard.operationalScope': oneOf('None', 'CradleToGate', 'CradleToGrave'),
  'credentialSubject.emissionsScorecard.primarySourcedRatio': ratio,
  'credentialSubject.traceabilityInformation.*.valueChainProcess': text,
  'credentialSubject.traceabilityInformation.*.verifiedRatio': ratio,
  'credentialSubject.traceabilityInformation.*.traceabilityEvent.*.linkURL': uri,
  'credentialSubject.traceabilityInformation.*.traceabilityEvent.*.hashDigest': matching(/^[0-9a-f]{64}$/),
  'credentialSubject.traceabilityInformation.*.traceabilityEvent.*.hashMethod': oneOf('SHA-256'),
  'credentialSubject.materialsProvenance.*.name': text,
  'credentialSubject.materialsProvenance.*.originCountry?': country,
  'credentialSubject.materialsProvenance.*.massFraction?': ratio,
};

const ITEM_LISTS = ['epcList', 'childEPCList', 'inputEPCList', 'outputEPCList'];
const QUANTITY_LISTS = ['quantityList', 'childQuantityList', 'inputQuantityList', 'outputQuantityList'];
const under = (names: readonly string[], rules: Rules): Rules =>
  Object.fromEntries(
    names.flatMap((name) => Object.entries(rules).map(([path, check]) => [`credentialSubject.*.${name}?.*.${path}`, check] as const)),
  );

/** UNTP DigitalTraceabilityEvent 0.6.0. */
export const DTE: Rules = {
  ...CREDENTIAL,
  type: holding('DigitalTraceabilityEvent', 'VerifiableCredential'),
  '@context': holding('https://www.w3.org/ns/credentials/v2', 'https://test.uncefact.org/vocabulary/untp/dte/0.6.0/'),
  credentialSubject: list,
  'credentialSubject.*.type': holding('Event'),
  'credentialSubject.*.id': uri,
  'credentialSubject.*.processType': text,
  'credentialSubject.*.eventTime': time,
  'credentialSubject.*.action?': oneOf('observe', 'add', 'delete'),
  'credentialSubject.*.disposition': matching(/^https:\/\/ref\.gs1\.org\/cbv\/Disp-/),
  'credentialSubject.*.bizStep': matching(/^https:\/\/ref\.gs1\.org\/cbv\/BizStep-/),
  'credentialSubject.*.bizLocation?': uri,
  ...under(ITEM_LISTS, { id: uri, name: text, type: holding('Item') }),
  ...under(QUANTITY_LISTS, { productId: uri, productName: text, quantity: number, 'uom?': unit }),
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

function broken(value: unknown, [step, ...rest]: readonly string[], check: Check, at: string): string[] {
  if (step === undefined) return check(value) ? [] : [at];
  if (step === '*') return Array.isArray(value) ? value.flatMap((item, i) => broken(item, rest, check, `${at}/${i}`)) : [at];
  const name = step.replace(/\?$/, '');
  const inner = (value as Record<string, unknown> | null | undefined)?.[name];
  return inner === undefined && step.endsWith('?') ? [] : broken(inner, rest, check, `${at}/${name}`);
}
