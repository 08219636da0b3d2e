import { ApiResponse } from '@nestjs/swagger';
import { PASSPORT_STATUSES } from '../../domain/passport.js';

type Members = Readonly<Record<string, object>>;

const text = { type: 'string' };
const textOrNull = { type: 'string', nullable: true };
const shareOrNull = { type: 'number', minimum: 0, maximum: 1, nullable: true };
const open = { type: 'object', additionalProperties: true };
/** Every member is always there. */
const shape = (properties: Members, more: object = {}) => ({ type: 'object', required: Object.keys(properties), properties, ...more });

const RECALL = shape({ recallClass: textOrNull, reason: textOrNull, instructions: textOrNull, date: text });
const PRODUCT = shape({
  granularity: { type: 'string', enum: ['batch'] },
  name: text,
  description: textOrNull,
  category: textOrNull,
  hsCode: textOrNull,
  gtin: textOrNull,
  lot: text,
  producedOn: textOrNull,
  bestBefore: textOrNull,
  expired: { type: 'boolean' },
  retired: shape({ reason: text, month: text }, { nullable: true }),
  attributes: open,
});
const STEP = shape({
  process: text,
  country: textOrNull,
  region: textOrNull,
  month: textOrNull,
  verifiedRatio: shareOrNull,
  attributes: { type: 'object', additionalProperties: { type: 'array', items: {} } },
});

/** domain-decisions §7; `null` where nothing is known, or shown. */
export const PASSPORT_SCHEMA = shape({
  passportId: textOrNull,
  passportStatus: { type: 'string', enum: [...PASSPORT_STATUSES] },
  version: { type: 'integer' },
  issuedAt: textOrNull,
  lastUpdated: textOrNull,
  recalls: { type: 'array', items: RECALL },
  product: PRODUCT,
  operator: shape(
    { name: text, lei: textOrNull, gln: textOrNull, contact: { type: 'object', additionalProperties: text } },
    { nullable: true },
  ),
  origin: shape({ steps: { type: 'array', items: STEP }, complete: { type: 'boolean' } }),
  footprint: { ...open, nullable: true },
  certificates: { type: 'array', items: open },
  traceability: shape({ verifiedRatio: shareOrNull, chainOfCustody: textOrNull, claimShare: shareOrNull }),
  integrity: { ...open, nullable: true },
  links: shape({ self: text, digitalLink: textOrNull, label: textOrNull, bundle: textOrNull }),
});

/** RFC 9264 §4.2. */
export const LINKSET_SCHEMA = shape({ linkset: { type: 'array', items: open } });
export const PAGE_SCHEMA = text;
export const FILE_SCHEMA = { type: 'string', format: 'binary' };
export const EVIDENCE_SCHEMA = open;

/** Whoever has the answer already, by its `ETag`, is told so without a body. */
export const NotModified = (): MethodDecorator =>
  ApiResponse({ status: 304, description: 'Unchanged since the `ETag` of `If-None-Match`' });

/** Stands before `@ApiProblems`: a browser, which asks for a page, is refused with one. */
export const RefusesWithPage = (): MethodDecorator => (_target, _name, descriptor) => {
  const responses = (Reflect.getMetadata('swagger/apiResponse', descriptor.value as object) ?? {}) as Record<string, { content?: object }>;
  for (const [status, response] of Object.entries(responses))
    if (Number(status) >= 400) response.content = { ...response.content, 'text/html': { schema: PAGE_SCHEMA } };
};
