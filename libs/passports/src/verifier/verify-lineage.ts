import type { Bundle, BundledEdge, BundledEvent } from './bundle.js';
import type { Check } from './links.js';
import type { Recorded } from './recorded.js';

/** Every edge runs from an input of an event to what it made; and where nothing is left out, what went in was made by an event of the file. */
export function verifyLineage(
  { edges, complete }: Bundle['lineage'],
  events: readonly BundledEvent[],
  recorded: readonly (Recorded | null)[],
  check: Check,
): void {
  const once = new Set(events.map(({ eventId }) => eventId)).size === events.length;
  check('events', 'file', once, 'Every event stands once.', 'An event stands in the file more than once.');
  const holds = ({ from, to, eventId }: BundledEdge): boolean =>
    recorded.some(
      (event) =>
        event?.eventId === eventId && event.inputs.includes(BigInt(from)) && event.minted.some(({ tokenId }) => tokenId === BigInt(to)),
    );
  if (edges.length > 0)
    check(
      'lineage ↔ receipts',
      'file',
      edges.every(holds),
      'Every step of the lineage is in a receipt.',
      'A step of the lineage is in no receipt.',
    );
  if (!complete) return;
  const made = new Set(recorded.flatMap((event) => event?.minted.map(({ tokenId }) => tokenId) ?? []));
  const missing = recorded.some(
    (event) => event !== null && event.containment === 0 && event.minted.length > 0 && event.inputs.some((input) => !made.has(input)),
  );
  check(
    'lineage ↔ inputs',
    'file',
    !missing,
    'The event that made each input is in the file.',
    'The file says that its lineage is complete, and an event that made an input is not there.',
  );
}
