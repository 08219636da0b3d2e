import { LotKey, gtin14, readOwnLotUri } from '#kernel';
import { linkPathOf } from '../issuing/issued-passport.js';
import type { PassportAddress } from '../issuing/passport-address.js';

const URN = /^urn:uuid:([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/i;
const PAGE = /^(?:https?:\/\/[^/?#]+(?:\/[^?#]*)?\/p\/)?([0-9a-f]{32})\/?$/;
/** A Digital Link of a GTIN alone. */
const MODEL = /^https?:\/\/[^/?#]+(?:\/[^?#]*?)?\/01\/(\d{8,14})\/?(?:\?[^#]*)?$/;

/** The passport of an identifier of EN 18222: its `urn:uuid:…`, the address of its page, or what names its product; null for another text. */
export function readDppId(text: string): PassportAddress | null {
  const parts = URN.exec(text);
  if (parts) return { id: parts.slice(1).join('').toLowerCase() };
  const page = PAGE.exec(text);
  return page ? { id: page[1]! } : readProductId(text);
}

/** What names a product: a GS1 Digital Link of any host, with `?tenant=` where several tenants have it, or a name that exports give. */
export function readProductId(text: string): PassportAddress | null {
  if (URN.test(text)) return readDppId(text);
  const own = readOwnLotUri(text);
  if (own) return withoutNul(own);
  const link = linkOf(text);
  if (link === null) return null;
  return withoutNul({ ...link, tenant: new URL(text).searchParams.get('tenant') });
}

/** Null where an escape of the address is U+0000: nothing is named so, and no database has it. */
const withoutNul = (address: PassportAddress): PassportAddress | null =>
  Object.values(address).some((part: unknown) => typeof part === 'string' && part.includes('\0')) ? null : address;

function linkOf(text: string): { readonly link: string; readonly lot: string | null } | null {
  if (!URL.canParse(text)) return null;
  const gtin = gtin14(MODEL.exec(text)?.[1] ?? '');
  if (gtin !== null) return { link: `/01/${gtin}`, lot: null };
  const key = LotKey.read(text);
  const link = key === null ? null : linkPathOf(key.text);
  return key === null || link === null ? null : { link, lot: key.kind === 'item' ? key.lot : null };
}
