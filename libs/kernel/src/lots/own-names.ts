import { encodeGs1, plainGs1 } from './lot-key.js';

/**
 * Names that exports give to what has no name of GS1's: IRIs in the tenant's part of this service, each of which answers
 * (docs/spec/domain.md#names-in-exports).
 */
export interface Naming {
  /** `https://host`. */
  readonly base: string;
  /** Slug. */
  readonly tenant: string;
}

/** A lot with a code of the tenant's own. */
export interface OwnLotName {
  readonly tenant: string;
  readonly code: string;
}

/** A document that an event names. */
export interface OwnDocumentName {
  readonly tenant: string;
  readonly type: string;
  readonly number: string;
}

export const ownLotUri = ({ base, tenant }: Naming, code: string): string => `${base}/id/${tenant}/lot/${encodeGs1(code)}`;

export const ownDocumentUri = ({ base, tenant }: Naming, type: string, number: string): string =>
  `${base}/id/${tenant}/doc/${encodeGs1(type)}/${encodeGs1(number)}`;

const OWN = String.raw`^https?:\/\/[^/?#]+(?:\/[^?#]*)?\/id\/([a-z0-9-]+)`;
const LOT = new RegExp(String.raw`${OWN}\/lot\/([^/?#]+)$`);
const DOCUMENT = new RegExp(String.raw`${OWN}\/doc\/([^/?#]+)\/([^/?#]+)$`);

/** Whatever the host: a service may move. Null for another text. */
export function readOwnLotUri(text: string): OwnLotName | null {
  const [, tenant, code] = LOT.exec(text) ?? [];
  return tenant === undefined ? null : { tenant, code: plainGs1(code!) };
}

export function readOwnDocumentUri(text: string): OwnDocumentName | null {
  const [, tenant, type, number] = DOCUMENT.exec(text) ?? [];
  return tenant === undefined ? null : { tenant, type: plainGs1(type!), number: plainGs1(number!) };
}
