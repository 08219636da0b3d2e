import type { Bundle, BundledEvent } from './bundle.js';
import { type Json, type Members, said } from './json.js';
import type { Check, Tell } from './links.js';
import type { Recorded } from './recorded.js';
import { datesAround, monthsIn, objectsIn, textsIn, valuesAt, within } from './values.js';

/** What the passport says, held against the bytes of the events: of the product against what made it, of its origin against all of them. */
export function verifyWords(
  passport: Members,
  events: readonly BundledEvent[],
  recorded: readonly (Recorded | null)[],
  { complete }: Bundle['lineage'],
  tell: Tell,
  check: Check,
): void {
  const of = 'passport';
  if (events[0]!.text === null) {
    const detail =
      'Without the bytes of the event nothing here proves what the passport says of the product: compare it with the page of its issuer.';
    return tell('words ↔ bytes', of, 'left_out', detail);
  }
  const product = passport['product'] as Members;
  const byOthers = recorded.some((event) => event?.amends === events[0]!.eventId && event.actor !== recorded[0]?.actor);
  const wrong = strayWords(product, contentOf(0, events, recorded) ?? {}, recorded[0] ?? null);
  check(
    'words ↔ bytes',
    of,
    wrong.length === 0,
    `What the passport says of the product stands in the bytes of the event${byOthers ? ', as it was corrected by another account than its own: that should be an admin of the contract' : ''}.`,
    `The bytes of the event say otherwise of: ${wrong.join(', ')}.`,
  );
  if (!complete || events.some(({ text }) => text === null))
    return tell('origin ↔ bytes', of, 'left_out', 'Not all events of the origin are in this file with their bytes.');
  const contents = events.map((_, i) => contentOf(i, events, recorded)).filter((content) => content !== null);
  const strange = strayOrigin(passport, contents);
  check(
    'origin ↔ bytes',
    of,
    strange.length === 0,
    'What the passport says of steps and certificates stands in the bytes of the events.',
    `The bytes of no event say so: ${strange.join(', ')}.`,
  );
}

/** The metadata of an event, as it was last corrected. */
function contentOf(index: number, events: readonly BundledEvent[], recorded: readonly (Recorded | null)[], steps = 0): Members | null {
  const { eventId, text } = events[index]!;
  const better = events
    .map((event, i) => ({ i, at: event.blockNumber }))
    .filter(({ i }) => i !== index && recorded[i]?.amends === eventId)
    .sort((a, b) => b.at - a.at)[0];
  if (better && steps < 100) return contentOf(better.i, events, recorded, steps + 1);
  return text === null ? null : (((JSON.parse(text) as Members)['metadata'] ?? {}) as Members);
}

function strayWords(product: Members, metadata: Members, recorded: Recorded | null): string[] {
  const texts = textsIn(metadata);
  const { description = null, producedOn = null, bestBefore = null } = product;
  const expires = (recorded?.minted ?? []).flatMap(({ expiresAt }) => datesAround(expiresAt - 1));
  const stray = Object.entries((product['attributes'] ?? {}) as Members)
    .filter(([name, value]) => !valuesAt(metadata, name).some((whole) => within(value, whole)))
    .map(([name]) => name);
  if (description !== null && !texts.includes(said(description))) stray.push('description');
  if (producedOn !== null && !texts.includes(said(producedOn)) && !monthsIn(texts).includes(said(producedOn))) stray.push('producedOn');
  if (bestBefore !== null && !texts.includes(said(bestBefore)) && !expires.includes(said(bestBefore))) stray.push('bestBefore');
  return stray;
}

/** Steps that no event took, and certificates that none has. */
function strayOrigin(passport: Members, contents: readonly Members[]): string[] {
  const known = contents.map((metadata) => {
    const texts = textsIn(metadata);
    return { metadata, texts, months: monthsIn(texts) };
  });
  const steps = (((passport['origin'] ?? {}) as Members)['steps'] ?? []) as readonly Members[];
  const strange = steps.filter(({ country = null, region = null, month = null, attributes }) => {
    const here = known.filter(
      ({ texts, months }) =>
        (country === null || texts.includes(said(country))) &&
        (region === null || texts.includes(said(region))) &&
        (month === null || months.includes(said(month))),
    );
    const told = Object.entries((attributes ?? {}) as Record<string, Json[]>);
    return (
      here.length === 0 ||
      told.some(([name, values]) =>
        values.some((value) => !here.some(({ metadata }) => valuesAt(metadata, name).some((whole) => within(value, whole)))),
      )
    );
  });
  const documents = contents.flatMap(objectsIn).filter(({ visibility }) => visibility === 'public');
  const unknown = ((passport['certificates'] ?? []) as readonly Members[]).filter(
    ({ type, issuer = null, validTo = null }) =>
      !documents.some((one) => one['type'] === type && (one['issuer'] || null) === issuer && (one['validTo'] || null) === validTo),
  );
  return [...strange.map(({ process }) => said(process)), ...unknown.map(({ type }) => said(type))];
}
