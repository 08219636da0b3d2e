import { pointerNames } from '#kernel';
import type { IssuedPassport } from '../issuing/issued-passport.js';
import type { PassportSetting } from '../settings/passport-setting.js';
import type {
  Certificate,
  LotFacts,
  OperatorFacts,
  OriginStep,
  PassportFacts,
  PassportStatus,
  PublicEvent,
  PublicFootprint,
  PublicOperator,
  PublicPassport,
  PublicProduct,
} from './passport.js';

/** More steps than a person reads; steps that read the same are one. */
const MOST_STEPS = 100;
/** Whole characters: half of one cannot be hashed. */
const MOST_CHARACTERS = 500;
const MOST_VALUES = 5;
const MOST_CERTIFICATES = 100;
/** Members of an organisation's profile that the page shows; others are for other uses. */
const CONTACTS = ['contact', 'website', 'email', 'phone', 'address', 'country', 'description'];
/** Shown elsewhere on the page. */
const PLACES = ['/location/country', '/location/region', '/location'];
/** Models of ISO 22095 that make a claim about the goods themselves. */
const CLAIMING: ReadonlySet<string | null> = new Set(['identity_preserved', 'segregated', 'controlled_blending', 'mass_balance']);
const PICTURE = '/picture';
/** Where an event names passports that other services show. */
const PREVIOUS_PASSPORTS = '/previousPassports';
const MOST_PREVIOUS = 100;
const PRODUCT_POINTERS = new Set([...PLACES, '/gtin', '/serial', '/bestBefore', PICTURE, PREVIOUS_PASSPORTS]);
/** A larger picture belongs at an address. */
const PICTURE_CHARACTERS = 100_000;

interface PassportParts {
  /** Null: a draft, of a lot whose passport is not issued. */
  readonly issued: IssuedPassport | null;
  readonly setting: PassportSetting;
  readonly facts: PassportFacts;
  readonly footprint: PublicFootprint | null;
  /** Part of the lot's mass of known origin; null where it is unknown. */
  readonly claimShare: number | null;
  /** `https://host`. */
  readonly origin: string;
  /** Behind the path of its Digital Link; default: nothing. */
  readonly choice?: string;
  /** `yyyy-mm-dd`. */
  readonly today: string;
}

/** Applies the tiers of visibility: a member that is not written here is not public. */
export function buildPassport({
  issued,
  setting,
  facts,
  footprint,
  claimShare,
  origin,
  choice = '',
  today,
}: PassportParts): PublicPassport {
  const { lot, recalls, events } = { ...facts, events: facts.events.map(withPoint) };
  const made = events.find(({ id }) => id === lot.mintEventId);
  const base = setting.resolver ?? origin;
  const steps = stepsOf(events, lot.mintEventId);
  return {
    passportId: issued?.id ?? null,
    passportStatus: issued === null ? 'draft' : statusOf(facts),
    version: issued?.version ?? 0,
    issuedAt: issued?.issuedAt.toISOString() ?? null,
    lastUpdated: issued?.updatedAt.toISOString() ?? null,
    recalls,
    product: productOf(lot, made, issued),
    operator: operatorOf(facts.operator),
    origin: { steps: steps.slice(0, MOST_STEPS), complete: facts.complete && steps.length <= MOST_STEPS },
    footprint,
    certificates: certificatesOf(events, today),
    traceability: traceabilityOf(lot, events, claimShare),
    ...linkedPassports(facts, made, issued),
    integrity: setting.showIntegrity && issued ? integrityOf(lot, issued) : null,
    links: {
      self: issued ? `${base}/p/${issued.id}` : base,
      digitalLink: issued?.link ? base + issued.link + choice : null,
      label: issued && `${base}/p/${issued.id}/label.svg`,
      bundle: issued && setting.showIntegrity ? `${base}/p/${issued.id}/bundle` : null,
    },
  };
}

const traceabilityOf = (
  { chainOfCustody }: LotFacts,
  events: readonly PublicEvent[],
  claimShare: number | null,
): PublicPassport['traceability'] => ({
  verifiedRatio: ratio(events.filter(({ proven }) => proven).length, events.length),
  chainOfCustody,
  claimShare: CLAIMING.has(chainOfCustody) ? claimShare : null,
});

/** A passport of a model says nothing of the life of one item. */
function linkedPassports(
  { previous, next }: PassportFacts,
  made: PublicEvent | undefined,
  issued: IssuedPassport | null,
): Pick<PublicPassport, 'previousPassports' | 'nextPassports'> {
  if (issued?.granularity === 'model') return { previousPassports: [], nextPassports: [] };
  const elsewhere = new Set([made?.values[PREVIOUS_PASSPORTS] ?? []].flat().filter(isPassportAddress).slice(0, MOST_PREVIOUS));
  for (const { id } of previous) elsewhere.delete(id);
  return {
    previousPassports: [...previous, ...[...elsewhere].map((id) => ({ id, passportId: null, name: null, key: null }))],
    nextPassports: next,
  };
}

/** A web address or the URN of a passport. */
const isPassportAddress = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length <= MOST_CHARACTERS &&
  /^(?:https?:\/\/[^\s<>"'\\^`{|}]+|urn:[a-z0-9][a-z0-9-]+:[^\s<>"'\\^`{|}]+)$/i.test(value) &&
  URL.canParse(value);

/** A recall comes first: it is for goods that were sold, too. */
function statusOf({ lot, recalls }: PassportFacts): PassportStatus {
  if (recalls.length > 0) return 'recalled';
  if (lot.retired) return 'retired';
  return lot.expired ? 'expired' : 'active';
}

function productOf(lot: LotFacts, made: PublicEvent | undefined, issued: IssuedPassport | null): PublicProduct {
  const values = made?.values ?? {};
  const { descriptionPointer } = lot;
  const description = values[descriptionPointer];
  const bestBefore = values['/bestBefore'];
  const dated = Object.entries(values).find(([pointer, value]) => /On$/.test(pointer) && isDate(value));
  return {
    granularity: issued?.granularity ?? (lot.serial === null ? 'batch' : 'item'),
    name: lot.name,
    description: typeof description === 'string' ? description : null,
    picture: pictureIn(values[PICTURE]),
    category: lot.category,
    hsCode: lot.hsCode,
    key: lot.key,
    gtin: lot.gtin,
    lot: lot.serial === lot.tlc ? null : lot.tlc,
    serial: lot.serial,
    producedOn: dated ? (dated[1] as string) : (made?.month ?? null),
    bestBefore: isDate(bestBefore) ? bestBefore : lot.expiresOn,
    expired: lot.expired,
    retired: lot.retired,
    attributes: Object.fromEntries(
      Object.entries(values)
        .filter(([pointer]) => !PRODUCT_POINTERS.has(pointer) && pointer !== descriptionPointer && pointer !== dated?.[0])
        .map(([pointer, value]) => [nameOf(pointer), value]),
    ),
  };
}

function operatorOf(operator: OperatorFacts | null): PublicOperator | null {
  if (operator === null) return null;
  const { name, lei, gln, publicProfile } = operator;
  const contact = CONTACTS.flatMap((key) => {
    const value = Object.hasOwn(publicProfile, key) ? publicProfile[key] : null;
    return typeof value === 'string' && value !== '' ? [[key, Array.from(value).slice(0, MOST_CHARACTERS).join('')] as const] : [];
  });
  return { name, lei, gln, logo: pictureIn(publicProfile['logo']), contact: Object.fromEntries(contact) };
}

/** An address that a page may load, and that holds no script. */
function pictureIn(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > PICTURE_CHARACTERS) return null;
  if (/^data:image\/(?:png|jpeg|webp|gif|avif);base64,[A-Za-z0-9+/]+={0,2}$/.test(value)) return value;
  return /^https:\/\/[^\s<>"']+$/.test(value) && value.length <= MOST_CHARACTERS && URL.canParse(value) ? value : null;
}

/** A map that calls the whole place public shows its point, too. */
function withPoint(event: PublicEvent): PublicEvent {
  const place = event.values['/location'];
  const geo = typeof place === 'object' && place !== null ? (place as Readonly<Record<string, unknown>>)['geo'] : undefined;
  return geo === undefined ? event : { ...event, values: { ...event.values, '/location/geo': geo } };
}

interface StepParts {
  readonly step: Omit<OriginStep, 'attributes' | 'verifiedRatio'>;
  readonly proofs: boolean[];
  readonly attributes: Map<string, Map<string, unknown>>;
}

/**
 * One entry for all steps of one process in one region and month: the public does not read how many there were, or whose. The values of
 * the lot's own event are attributes of the product.
 */
function stepsOf(events: readonly PublicEvent[], mintEventId: string): OriginStep[] {
  const steps = new Map<string, StepParts>();
  for (const { id, processType, label, country, month, values, proven } of events) {
    const region = typeof values['/location/region'] === 'string' ? values['/location/region'] : null;
    const step = { process: label ?? processType ?? 'Unknown process', country, region, month };
    const key = JSON.stringify(step);
    const entry = steps.get(key) ?? { step, proofs: [], attributes: new Map<string, Map<string, unknown>>() };
    steps.set(key, entry);
    entry.proofs.push(proven);
    if (id !== mintEventId) addAttributes(entry.attributes, values);
  }
  return [...steps.values()].map(({ step, proofs, attributes }) => ({
    ...step,
    verifiedRatio: ratio(proofs.filter(Boolean).length, proofs.length),
    attributes: Object.fromEntries([...attributes].map(([name, distinct]) => [name, [...distinct.values()]])),
  }));
}

function addAttributes(attributes: StepParts['attributes'], values: PublicEvent['values']): void {
  for (const [pointer, value] of Object.entries(values)) {
    if (PLACES.includes(pointer)) continue;
    const distinct = attributes.get(nameOf(pointer)) ?? new Map<string, unknown>();
    if (distinct.size < MOST_VALUES) distinct.set(JSON.stringify(value), value);
    attributes.set(nameOf(pointer), distinct);
  }
}

function certificatesOf(events: readonly PublicEvent[], today: string): Certificate[] {
  const found = new Map<string, Certificate>();
  for (const { documents, proven } of events)
    for (const document of documents) {
      const [type, issuer, validTo] = [text(document['type']), text(document['issuer']), text(document['validTo'])];
      if (type === null) continue;
      const certificate = { type, issuer, validTo, valid: validTo === null ? null : validTo >= today };
      const key = JSON.stringify(certificate);
      found.set(key, { ...certificate, verified: proven || found.get(key)?.verified === true });
    }
  return [...found.values()].slice(0, MOST_CERTIFICATES);
}

const integrityOf = (lot: LotFacts, issued: IssuedPassport): PublicPassport['integrity'] => ({
  chainId: lot.chainId,
  contract: lot.contract,
  mintTx: lot.mintTx,
  dataHash: lot.dataHash,
  cid: lot.cid,
  lastCheck: issued.checkedAt?.toISOString() ?? null,
  result: issued.checkResult,
});

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const isDate = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);
const ratio = (of: number, by: number): number | null => (by === 0 ? null : Math.round((of / by) * 1e6) / 1e6);
/** `/packaging/material` is `packaging.material`. */
const nameOf = (pointer: string): string => pointerNames(pointer).join('.');

/** What a version counts: all that the public reads of the lot, without links and the time of the last check. */
export function countedPart({
  recalls,
  product,
  operator,
  origin,
  footprint,
  certificates,
  traceability,
  passportStatus,
  previousPassports,
  nextPassports,
}: PublicPassport): object {
  const linked = { previousPassports, nextPassports };
  return { recalls, product, operator, origin, footprint, certificates, traceability, passportStatus, ...linked };
}
