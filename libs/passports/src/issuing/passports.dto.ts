import { type OriginRequest, EnumField, IntegerField, NumberedPageView, ObjectListField, StringField } from '#http';
import { passportNotFound } from '../errors.js';
import type { LinkedPassport } from './read-passports.js';

/** What a route needs of Fastify's request. */
export interface PassportRequest extends OriginRequest {
  readonly url: string;
  readonly ip: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export const PASSPORT_ID = /^[0-9a-f]{32}$/;

/** A text of another form is not the id of a passport, and never becomes a query. @throws DomainError 404 */
export function passportId(text: string): string {
  if (!PASSPORT_ID.test(text)) throw passportNotFound();
  return text;
}

export class WithdrawBody {
  @StringField({ description: 'Why; for the audit log, never public', minLength: 1, maxLength: 500 })
  reason: string;
}

export class PassportView {
  @StringField({ description: '128 random bits, hexadecimal' })
  id: string;

  @IntegerField({ description: 'The lot' })
  tokenId: number;

  @StringField({ description: 'Its code' })
  tlc: string;

  @StringField({ description: 'GTIN of its product', nullable: true })
  gtin: string | null;

  @StringField({ description: 'Serial number of a single item', nullable: true })
  serial: string | null;

  @StringField({ description: 'Where it is shown' })
  url: string;

  @StringField({
    description:
      'GS1 Digital Link, with `?tenant=` where other tenants show a passport at it, too; null without a GTIN, or where that link is the passport of another lot',
    nullable: true,
  })
  digitalLink: string | null;

  @EnumField(['model', 'batch', 'item'], { description: 'What it is about: all of a product, a lot, or one item' })
  granularity: 'model' | 'batch' | 'item';

  @IntegerField({ description: 'Counts what the public reads: one more with every change' })
  version: number;

  @StringField({ description: 'When it was issued', format: 'date-time' })
  issuedAt: string;

  @StringField({ description: 'Since when the public reads this version', format: 'date-time' })
  lastUpdated: string;

  @StringField({ description: 'Null while it is shown', format: 'date-time', nullable: true })
  withdrawnAt: string | null;

  @StringField({ description: 'Why it was withdrawn', nullable: true })
  withdrawnReason: string | null;
}

export class PassportPageView extends NumberedPageView {
  @ObjectListField(() => PassportView, { description: 'Newest first' })
  data: PassportView[];
}

/** @param origin `https://host` of the request */
export function passportView({ passport, resolver, choice }: LinkedPassport, origin: string): PassportView {
  const base = resolver ?? origin;
  return {
    id: passport.id,
    tokenId: Number(passport.tokenId),
    tlc: passport.tlc,
    gtin: passport.gtin,
    serial: passport.serial,
    granularity: passport.granularity,
    url: `${base}/p/${passport.id}`,
    digitalLink: passport.link === null ? null : base + passport.link + choice,
    version: passport.version,
    issuedAt: passport.issuedAt.toISOString(),
    lastUpdated: passport.updatedAt.toISOString(),
    withdrawnAt: passport.withdrawnAt?.toISOString() ?? null,
    withdrawnReason: passport.withdrawnReason,
  };
}
