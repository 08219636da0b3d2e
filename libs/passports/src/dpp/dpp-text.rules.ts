import { canonicalJson } from '#kernel';
import type { DppDocument } from '../composing/dpp-document.js';
import { compressedDocument, contextOf } from '../composing/dpp-document.rules.js';
import type { Step } from '../elements/element-path.js';
import { elementNotFound } from '../errors.js';
import { elementAt, valueAt } from './dpp-element.rules.js';

export const REPRESENTATIONS = ['compressed', 'full'] as const;
export type Representation = (typeof REPRESENTATIONS)[number];

/** The text of a passport as it is sent: the same for the same document. */
export const dppText = (document: DppDocument, representation: Representation): string =>
  canonicalJson(representation === 'full' ? document : { ...contextOf(document.elements), ...compressedDocument(document) });

/** The text of one element of it. @throws DomainError 404 `element_not_found` */
export function elementText(document: DppDocument, steps: readonly Step[], representation: Representation): string {
  const found = representation === 'full' ? elementAt(document, steps) : valueAt(compressedDocument(document), steps);
  if (found === undefined) throw elementNotFound();
  return canonicalJson(found);
}
