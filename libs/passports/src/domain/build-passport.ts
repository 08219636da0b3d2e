import { linkPath } from './digital-link.js';
import type { Issued, LotFacts, OperatorFacts, PassportFacts, PassportSetting, PublicEvent } from './facts.js';
import type {
  Certificate,
  OriginStep,
  PassportStatus,
  PublicFootprint,
  PublicOperator,
  PublicPassport,
  PublicProduct,
} from './passport.js';

/** More steps than a person reads; alike ones are one. */
const MOST_STEPS = 100;
/** Whole ones: half of one cannot be hashed. */
const MOST_LETTERS = 500;
const MOST_VALUES = 5;
const MOST_CERTIFICATES = 100;
/** What an organisation may say of itself on the page; other members of its profile are for other uses. */
const CONTACTS = ['contact', 'website', 'email', 'phone', 'address', 'country', 'description'];
/** Told elsewhere on the page. */
const PLACES = ['/location/country', '/location/region', '/location'];
/** Models of ISO 22095 that bear on the goods themselves. */
const CLAIMING: ReadonlySet<string | null> = new Set(['identity_preserved', 'segregated', 'controlled_blending', 'mass_balance']);
const PRODUCT_WORDS = new Set([...PLACES, '/gtin', '/bestBefore']);

export interface PassportParts {
  /** Null: a draft, of a lot whose passport is not issued. */
  readonly issued: Issued | null;
  readonly setting: PassportSetting;
  readonly facts: PassportFacts;
  readonly footprint: PublicFootprint | null;
  /** Part of the lot's mass of known origin; null where it is unknown. */
  readonly claimShare: number | null;
  /** `https://host`. */
  readonly origin: string;
  /** `yyyy-mm-dd`. */
  readonly today: string;
}

/** Applies the tiers: a member that is not written here is not public. */
export function buildPassport({ issued, setting, facts, footprint, claimShare, origin, today }: PassportParts): PublicPassport {
  const { lot, recalls, events } = facts;
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
    traceability: {
      verifiedRatio: ratio(events.filter(({ proven }) => proven).length, events.length),
      chainOfCustody: lot.chainOfCustody,
      claimShare: CLAIMING.has(lot.chainOfCustody) ? claimShare : null,
    },
    integrity: setting.showIntegrity && issued ? integrityOf(lot, issued) : null,
    links: {
      self: issued ? `${base}/p/${issued.id}` : base,
      digitalLink: issued?.gtin ? base + linkPath(issued.gtin, issued.tlc) : null,
      label: issued && `${base}/p/${issued.id}/label.svg`,
      bundle: issued && setting.showIntegrity ? `${base}/p/${issued.id}/bundle` : null,
    },
  };
}

/** Recalled before all: goods that were sold are what a recall is for. */
function statusOf({ lot, recalls }: PassportFacts): PassportStatus {
  if (recalls.length > 0) return 'recalled';
  if (lot.retired) return 'retired';
  return lot.expired ? 'expired' : 'active';
}

function productOf(lot: LotFacts, made: PublicEvent | undefined, issued: Issued | null): PublicProduct {
  const said = made?.said ?? {};
  const { descriptionPointer } = lot;
  const description = said[descriptionPointer];
  const bestBefore = said['/bestBefore'];
  const dated = Object.entries(said).find(([pointer, value]) => /On$/.test(pointer) && isDate(value));
  return {
    granularity: 'batch',
    name: lot.name,
    description: typeof description === 'string' ? description : null,
    category: lot.category,
    hsCode: lot.hsCode,
    gtin: issued?.gtin ?? null,
    lot: lot.tlc,
    producedOn: dated ? (dated[1] as string) : (made?.month ?? null),
    bestBefore: isDate(bestBefore) ? bestBefore : lot.expiresOn,
    expired: lot.expired,
    retired: lot.retired,
    attributes: Object.fromEntries(
      Object.entries(said)
        .filter(([pointer]) => !PRODUCT_WORDS.has(pointer) && pointer !== descriptionPointer && pointer !== dated?.[0])
        .map(([pointer, value]) => [nameOf(pointer), value]),
    ),
  };
}

function operatorOf(operator: OperatorFacts | null): PublicOperator | null {
  if (operator === null) return null;
  const { name, lei, gln, publicProfile } = operator;
  const contact = CONTACTS.flatMap((key) => {
    const value = Object.hasOwn(publicProfile, key) ? publicProfile[key] : null;
    return typeof value === 'string' && value !== '' ? [[key, Array.from(value).slice(0, MOST_LETTERS).join('')] as const] : [];
  });
  return { name, lei, gln, contact: Object.fromEntries(contact) };
}

interface StepParts {
  readonly step: Omit<OriginStep, 'attributes' | 'verifiedRatio'>;
  readonly proofs: boolean[];
  readonly values: Map<string, Map<string, unknown>>;
}

/**
 * One entry for steps of one process in one region and month: how many there were, and whose, is nobody's business. What the lot's own
 * event says is told of the product.
 */
function stepsOf(events: readonly PublicEvent[], mintEventId: string): OriginStep[] {
  const steps = new Map<string, StepParts>();
  for (const { id, processType, label, country, month, said, proven } of events) {
    const region = typeof said['/location/region'] === 'string' ? said['/location/region'] : null;
    const step = { process: label ?? processType ?? 'Unknown process', country, region, month };
    const key = JSON.stringify(step);
    const entry = steps.get(key) ?? { step, proofs: [], values: new Map<string, Map<string, unknown>>() };
    steps.set(key, entry);
    entry.proofs.push(proven);
    for (const [pointer, value] of Object.entries(said)) {
      if (PLACES.includes(pointer) || id === mintEventId) continue;
      const values = entry.values.get(nameOf(pointer)) ?? new Map<string, unknown>();
      if (values.size < MOST_VALUES) values.set(JSON.stringify(value), value);
      entry.values.set(nameOf(pointer), values);
    }
  }
  return [...steps.values()].map(({ step, proofs, values }) => ({
    ...step,
    verifiedRatio: ratio(proofs.filter(Boolean).length, proofs.length),
    attributes: Object.fromEntries([...values].map(([name, distinct]) => [name, [...distinct.values()]])),
  }));
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

const integrityOf = (lot: LotFacts, issued: Issued): PublicPassport['integrity'] => ({
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
const nameOf = (pointer: string): string =>
  pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');

/** What a version counts: all that the public reads of the lot, not where it stands and when the evidence was looked at. */
export function countedPart({
  recalls,
  product,
  operator,
  origin,
  footprint,
  certificates,
  traceability,
  passportStatus,
}: PublicPassport): object {
  return { recalls, product, operator, origin, footprint, certificates, traceability, passportStatus };
}
