import { isObject } from '#kernel';
import type { DataElement } from '../elements/data-element.js';
import { compressedAll, elementBy, elementOf, readerOf } from '../elements/data-element.rules.js';
import type { IssuedPassport } from '../issuing/issued-passport.js';
import type { DppDocument, DppStatus } from './dpp-document.js';
import type { LinkedPassport, OperatorFacts, PassportFacts, PublicPassport } from './passport.js';

const GS1 = 'https://id.gs1.org';
const VOCABULARY = 'https://ref.gs1.org/voc/';
/** Terms of the Commission's vocabulary of passports and of ADMS: what came before, and what came after. */
const PREVIOUS = 'https://w3id.org/eudpp#linkToPreviousDPP';
const NEXT = 'http://www.w3.org/ns/adms#next';

interface DocumentParts {
  readonly issued: Pick<IssuedPassport, 'id' | 'granularity' | 'gtin' | 'link'>;
  readonly tenantId: string;
  readonly facts: PassportFacts;
  /** What the public reads of it. */
  readonly passport: PublicPassport;
}

/** `urn:uuid:…` of 32 hexadecimal digits. */
export const passportUrn = (id: string): string => `urn:uuid:${id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`;

/** The document of EN 18223, as far as everybody reads it; `lastUpdated` is the time of its version. */
export function buildDocument(parts: DocumentParts): Omit<DppDocument, 'lastUpdated'> {
  const { issued, facts, tenantId } = parts;
  const values = facts.events.find(({ id }) => id === facts.lot.mintEventId)?.values ?? {};
  const facility = issued.granularity === 'model' ? null : readerOf(values)('/location/gln');
  return {
    digitalProductPassportId: passportUrn(issued.id),
    uniqueProductIdentifier: issued.link === null ? passportUrn(issued.id) : GS1 + issued.link,
    granularity: issued.granularity,
    dppSchemaVersion: 'EN 18223:2026',
    dppStatus: statusOf(parts),
    economicOperatorId: operatorIdOf(facts.operator, tenantId),
    ...(typeof facility === 'string' && /^\d{13}$/.test(facility) && { facilityId: `${GS1}/414/${facility}` }),
    contentSpecificationIds: [...new Set([VOCABULARY, ...facts.lot.contentSpecificationIds])],
    ...(facts.lot.nodeTypes.length > 0 && { nodeTypes: facts.lot.nodeTypes }),
    elements: elementsOf(parts, values),
  };
}

/** Goods that are recalled or expired are still there, and so is their passport. */
const statusOf = ({ issued, passport }: DocumentParts): DppStatus =>
  issued.granularity !== 'model' && passport.passportStatus === 'retired' ? 'archived' : 'active';

function operatorIdOf(operator: OperatorFacts | null, tenantId: string): string {
  if (operator === null) return `urn:uuid:${tenantId}`;
  if (operator.gln !== null) return `${GS1}/417/${operator.gln}`;
  return operator.lei === null ? `urn:uuid:${operator.id}` : `http://standards.iso.org/iso/17442#${operator.lei}`;
}

/** Those of every passport, then those of the asset type; one of the type replaces one of every passport with its name. */
function elementsOf(parts: DocumentParts, values: Readonly<Record<string, unknown>>): DataElement[] {
  const isModel = parts.issued.granularity === 'model';
  // What one lot of a model is made of holds for this lot only.
  const read = isModel ? () => undefined : readerOf(values);
  const own = parts.facts.lot.dataElements.flatMap((rule) => elementBy(rule, read) ?? []);
  const all = new Map((isModel ? modelElements(parts) : commonElements(parts)).map((element) => [element.elementId, element]));
  for (const element of own) all.set(element.elementId, element);
  return [...all.values()];
}

const gs1 = (id: string, value: unknown): DataElement[] => one(id, value, VOCABULARY + id);
const one = (id: string, value: unknown, dictionaryReference?: string): DataElement[] => {
  const element = elementOf({ id, ...(dictionaryReference !== undefined && { dictionaryReference }) }, value);
  return element ? [element] : [];
};

const linksTo = (id: string, passports: readonly LinkedPassport[], dictionaryReference: string): DataElement[] => {
  const meaning = { id, dictionaryReference, valueDataType: 'xsd:anyURI', reference: true } as const;
  const element = elementOf(
    meaning,
    passports.map((linked) => linked.id),
  );
  return element ? [element] : [];
};

const modelElements = ({ issued, passport: { product, operator } }: DocumentParts): DataElement[] => [
  ...gs1('productName', product.name),
  ...gs1('gtin', issued.gtin),
  ...one('category', product.category),
  ...one('hsCode', product.hsCode),
  ...one('operator', operator),
];

function commonElements(parts: DocumentParts): DataElement[] {
  const { product, passportStatus, recalls, origin, footprint, certificates, traceability } = parts.passport;
  const { previousPassports, nextPassports } = parts.passport;
  return [
    ...modelElements(parts),
    ...gs1('productDescription', product.description),
    ...gs1('hasBatchLotNumber', product.lot),
    ...gs1('hasSerialNumber', product.serial),
    ...one('key', product.key),
    ...one('producedOn', product.producedOn),
    ...gs1('bestBeforeDate', product.bestBefore),
    ...one('passportStatus', passportStatus),
    ...one('retired', product.retired),
    ...linksTo('previousPassports', previousPassports, PREVIOUS),
    ...linksTo('nextPassports', nextPassports, NEXT),
    ...one('recalls', recalls),
    ...one('origin', origin),
    ...one('footprint', footprint),
    ...one('certificates', certificates),
    ...one('traceability', traceability),
    ...one('attributes', product.attributes),
  ];
}

/** The compressed representation (EN 18223 clause 5.2): the header, and each element by its name. */
export function compressedDocument({ elements, ...header }: DppDocument): Record<string, unknown> {
  return { ...header, ...compressedAll(elements) };
}

interface ContextEntry {
  readonly '@id': string;
  readonly '@context'?: Context;
}
type Context = Readonly<Record<string, string | ContextEntry>>;

/** The data dictionary of a compressed document (EN 18223 clause 5.2.2): a JSON-LD context with the meanings of its names; nothing without any. */
export function contextOf(elements: readonly DataElement[]): { readonly '@context'?: object } {
  const context = meanings(elements);
  return Object.keys(context).length === 0 ? {} : { '@context': { '@version': 1.1, ...context } };
}

function meanings(elements: readonly DataElement[]): Context {
  const context: Record<string, string | ContextEntry> = {};
  for (const element of elements) {
    if (element.dictionaryReference === undefined) continue;
    const inner = meanings(membersOf(element));
    context[element.elementId] =
      Object.keys(inner).length === 0 ? element.dictionaryReference : { '@id': element.dictionaryReference, '@context': inner };
  }
  return context;
}

function membersOf(element: DataElement): readonly DataElement[] {
  if (element.objectType === 'DataElementCollection') return element.elements;
  if (element.objectType !== 'MultiValuedDataElement') return [];
  return element.value.flatMap((item) => (Array.isArray(item) ? (item as DataElement[]) : []));
}

/** Without what was erased of it since it was archived: null in the place of a value. */
export function withoutErased(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null && !isBlank(item)).map(withoutErased);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutErased(member)]));
}

/** An element, or a text in a language, whose value was erased. */
const isBlank = (item: unknown): boolean => isObject(item) && (item['value'] === null || item['url'] === null);
