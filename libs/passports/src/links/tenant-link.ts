import { DigitalLinkFault, type Problem, readDigitalLink } from '#kernel';
import { LINK_TYPE_NAMES, linkTypeName } from './link-types.js';

/** What a link says about its target. */
export interface LinkWords {
  /** Of the GS1 Web Vocabulary, without its prefix: `pip`. */
  readonly linkType: string;
  /** Absolute, http or https. */
  readonly href: string;
  readonly title: string;
  /** `text/html`; null where it is not stated. */
  readonly mediaType: string | null;
  /** `en`, `de-AT`; none where it is not stated, or where the target is in all. */
  readonly languages: readonly string[];
  /** Whether a resolver leads to it where a request asks for nothing in particular. */
  readonly isDefault: boolean;
}

/** A link of the tenant's own, from a key of GS1 to a page or a service. */
export interface TenantLink extends LinkWords {
  readonly id: string;
  /** Path of a Digital Link, canonical, as `readDigitalLink` has it in its levels: `/01/09520123450014`. */
  readonly anchor: string;
  readonly createdAt: Date;
  readonly changedAt: Date;
}

/** What a change may change, and what its `ETag` covers. */
export const wordsOf = ({ linkType, href, title, mediaType, languages, isDefault }: LinkWords): LinkWords => ({
  linkType,
  href,
  title,
  mediaType,
  languages,
  isDefault,
});

const problem = (pointer: string, code: string, message: string): Problem => ({ pointer, code, message });

/** @param text a Digital Link of any host, or its path @returns its canonical path, or why there is none */
export function anchorOf(text: string): string | Problem {
  const path = /^https?:\/\//i.test(text) ? text.replace(/^https?:\/\/[^/?#]*/i, '') : text;
  const fault = (message: string): Problem => problem('/anchor', 'not_a_digital_link', message);
  if (/[?#]/.test(path)) return fault('A link belongs to a key and its qualifiers: the Digital Link has no query and no fragment.');
  const link = readDigitalLink(path);
  if (link === null) return fault('This is not the path of a GS1 Digital Link: /01/09520123450014 or /01/09520123450014/10/A1.');
  if (link instanceof DigitalLinkFault) return fault(link.message);
  // A serial number names an item by itself (GS1-Conformant Resolver, §2.5.9).
  return link.levels[0]!;
}

/** What is wrong with the words of a link, where each is of the right form. */
export function faultsOf({ linkType, href }: Partial<LinkWords>): Problem[] {
  return [
    ...(linkType === undefined || LINK_TYPE_NAMES.includes(linkType)
      ? []
      : [problem('/linkType', 'unknown_link_type', `${linkType.slice(0, 60)} is not a link type of the GS1 Web Vocabulary.`)]),
    ...(href === undefined || isTarget(href)
      ? []
      : [problem('/href', 'not_a_target', 'The target is an absolute http or https URL in ASCII, without user name and password.')]),
  ];
}

function isTarget(href: string): boolean {
  const url = URL.canParse(href) ? new URL(href) : null;
  // What is written there is sent as a header.
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && /^[\x21-\x7e]+$/.test(href);
}

/** With the link type in its short form. */
export const withLinkType = <Words extends { readonly linkType?: string }>(words: Words): Words =>
  words.linkType === undefined ? words : { ...words, linkType: linkTypeName(words.linkType) };
