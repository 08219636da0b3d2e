import type { Bundle, BundledEvent } from './bundle.js';
import {
  type Json,
  type Members,
  canonical,
  cidOf,
  datesAround,
  keccak256,
  monthsIn,
  objectsIn,
  sha256,
  textOf,
  textsIn,
  utf8,
  valuesAt,
  within,
} from './encoding.js';
import type { RecordedEvent } from './event-check.js';
import { readablePart } from './sealed-content.js';
import type { Findings } from './report.js';

const OF = 'passport';

/** The passport against the event that made the lot. @returns its words */
export function checkPassport({ passport: shown, events, chain }: Bundle, recorded: RecordedEvent | null, findings: Findings): Members {
  findings.check(
    'passport ↔ CID',
    OF,
    cidOf(sha256(utf8(shown.text))) === shown.cid,
    `The passport's words hash to ${shown.cid}.`,
    `The passport's words do not hash to ${shown.cid}.`,
  );
  const passport = JSON.parse(shown.text) as Members;
  findings.check(
    'passport form',
    OF,
    canonical(passport) === shown.text,
    'The words are in canonical form (RFC 8785).',
    'The words are not in canonical form (RFC 8785).',
  );
  const event = events[0]!;
  const integrity = passport['integrity'] as Members | null;
  findings.check(
    'passport ↔ event',
    OF,
    integrity?.['dataHash'] === event.dataHash &&
      integrity['cid'] === event.cid &&
      integrity['chainId'] === chain.chainId &&
      integrity['contract'] === chain.contract,
    `The passport names this event of contract ${chain.contract} on chain ${chain.chainId}. Compare that address with what the issuer says: anybody can have a contract.`,
    'The passport names another event or contract.',
  );
  checkNames(passport['product'] as Members, recorded, findings);
  return passport;
}

/** The names of the product against the key whose hash is in the receipt. */
function checkNames(product: Members, recorded: RecordedEvent | null, findings: Findings): void {
  const key = textOf(product['key']);
  const names = [product['lot'], product['serial']].filter((name) => typeof name === 'string');
  // A key of GS1 ends in its finest number.
  const isNamed = names.some(
    (name) => name === key || (key.includes(`/01/${textOf(product['gtin'] ?? '')}/`) && key.endsWith(`/${encoded(name)}`)),
  );
  const tlcHash = keccak256(utf8(key));
  findings.check(
    'lot ↔ chain',
    OF,
    isNamed && recorded?.minted.some((mint) => mint.tlcHash === tlcHash) === true,
    `The event made the lot ${names.join(', ')}: ${key}.`,
    `The event made no lot ${names.join(', ')}, ${key}.`,
  );
}

/** As GS1 Digital Link asks. */
const encoded = (name: string): string =>
  encodeURIComponent(name).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

/** What the passport says of the product against the bytes of the event that made it, and of its origin against those of all events. */
export function checkWording(
  passport: Members,
  events: readonly BundledEvent[],
  recorded: readonly (RecordedEvent | null)[],
  isComplete: boolean,
  findings: Findings,
): void {
  if (events[0]!.text === null) {
    const detail =
      'Without the bytes of the event nothing here proves what the passport says of the product: compare it with the page of its issuer.';
    return findings.add('words ↔ bytes', OF, 'left_out', detail);
  }
  const product = passport['product'] as Members;
  const byOthers = recorded.some((event) => event?.amends === events[0]!.eventId && event.actor !== recorded[0]?.actor);
  const wrong = strayWords(product, contentOf(0, events, recorded) ?? {}, recorded[0] ?? null);
  findings.check(
    'words ↔ bytes',
    OF,
    wrong.length === 0,
    `What the passport says of the product is in the bytes of the event${byOthers ? ', as it was corrected by another account than its own: that should be an admin of the contract' : ''}.`,
    `The bytes of the event say otherwise of: ${wrong.join(', ')}.`,
  );
  if (!isComplete || events.some(({ text }) => text === null))
    return findings.add('origin ↔ bytes', OF, 'left_out', 'Not all events of the origin are in this file with their bytes.');
  const contents = events.map((_, i) => contentOf(i, events, recorded)).filter((content) => content !== null);
  const strange = strayOrigin(passport, contents);
  findings.check(
    'origin ↔ bytes',
    OF,
    strange.length === 0,
    'What the passport says of steps and certificates is in the bytes of the events.',
    `The bytes of no event say so: ${strange.join(', ')}.`,
  );
}

/** The metadata of an event, as it was last corrected. */
function contentOf(
  index: number,
  events: readonly BundledEvent[],
  recorded: readonly (RecordedEvent | null)[],
  corrections = 0,
): Members | null {
  const { eventId, text, disclosures = [] } = events[index]!;
  const correction = events
    .map((event, i) => ({ i, at: event.blockNumber }))
    .filter(({ i }) => i !== index && recorded[i]?.amends === eventId)
    .toSorted((a, b) => b.at - a.at)[0];
  if (correction && corrections < 100) return contentOf(correction.i, events, recorded, corrections + 1);
  return text === null ? null : ((readablePart(text, disclosures)['metadata'] ?? {}) as Members);
}

function strayWords(product: Members, metadata: Members, recorded: RecordedEvent | null): string[] {
  const texts = textsIn(metadata);
  const { description = null, producedOn = null, bestBefore = null } = product;
  const expires = (recorded?.minted ?? []).flatMap(({ expiresAt }) => datesAround(expiresAt - 1));
  const stray = Object.entries((product['attributes'] ?? {}) as Members)
    .filter(([name, value]) => !valuesAt(metadata, name).some((whole) => within(value, whole)))
    .map(([name]) => name);
  if (description !== null && !texts.includes(textOf(description))) stray.push('description');
  if (producedOn !== null && !texts.includes(textOf(producedOn)) && !monthsIn(texts).includes(textOf(producedOn))) stray.push('producedOn');
  if (bestBefore !== null && !texts.includes(textOf(bestBefore)) && !expires.includes(textOf(bestBefore))) stray.push('bestBefore');
  return stray;
}

/** Steps and certificates that no event has. */
function strayOrigin(passport: Members, contents: readonly Members[]): string[] {
  const known = contents.map((metadata) => {
    const texts = textsIn(metadata);
    return { metadata, texts, months: monthsIn(texts) };
  });
  const steps = (((passport['origin'] ?? {}) as Members)['steps'] ?? []) as readonly Members[];
  const strange = steps.filter(({ country = null, region = null, month = null, attributes }) => {
    const here = known.filter(
      ({ texts, months }) =>
        (country === null || texts.includes(textOf(country))) &&
        (region === null || texts.includes(textOf(region))) &&
        (month === null || months.includes(textOf(month))),
    );
    const shownValues = Object.entries((attributes ?? {}) as Record<string, Json[]>);
    return (
      here.length === 0 ||
      shownValues.some(([name, values]) =>
        values.some((value) => !here.some(({ metadata }) => valuesAt(metadata, name).some((whole) => within(value, whole)))),
      )
    );
  });
  const documents = contents.flatMap(objectsIn).filter(({ visibility }) => visibility === 'public');
  const unknown = ((passport['certificates'] ?? []) as readonly Members[]).filter(
    ({ type, issuer = null, validTo = null }) =>
      !documents.some((one) => one['type'] === type && (one['issuer'] || null) === issuer && (one['validTo'] || null) === validTo),
  );
  return [...strange.map(({ process }) => textOf(process)), ...unknown.map(({ type }) => textOf(type))];
}
