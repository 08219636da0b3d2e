import type { Bundle, BundledEdge, BundledEvent, BundledSplit } from './bundle.js';
import type { RecordedEvent } from './event-check.js';
import { checkReceipt, logsIn, topicOf } from './receipt-check.js';
import type { Findings } from './report.js';

/** A part of a lot, and the lot, as a receipt says it. */
export type ProvenSplit = Pick<BundledSplit, 'from' | 'to'>;

const SPLIT = topicOf('LotSplit(uint256,uint256,uint256,uint8)');

/** Parts that changed hands are in no event: each split by the receipt of the call that made it. @returns those that are proven */
export function checkSplits({ chain, lineage, blocks }: Bundle, findings: Findings): readonly ProvenSplit[] {
  const splits = lineage.splits ?? [];
  const isEachOnce = new Set(splits.map(({ to }) => to)).size === splits.length;
  if (splits.length > 0)
    findings.check('splits', 'file', isEachOnce, 'Every part was split once.', 'A part is split from a lot more than once.');
  return splits.filter((split, i) => {
    const of = `split ${i + 1}`;
    const receipt = checkReceipt(of, split, blocks, findings);
    if (receipt === null) return false;
    const isSplit = logsIn(receipt, chain.contract).some(
      ({ topics }) => topics[0] === SPLIT && BigInt(topics[1]!) === BigInt(split.from) && BigInt(topics[2]!) === BigInt(split.to),
    );
    findings.check(
      'split ↔ receipt',
      of,
      isSplit,
      `Lot ${split.to} is a part of lot ${split.from}: the receipt says so.`,
      `The receipt does not say that lot ${split.to} is a part of lot ${split.from}.`,
    );
    return isSplit;
  });
}

/** Every edge runs from an input of an event to what it made; where nothing is left out, each input was made by an event of the file, or is a part of such a lot. */
export function checkLineage(
  { edges, complete }: Bundle['lineage'],
  events: readonly BundledEvent[],
  { recorded, splits }: { readonly recorded: readonly (RecordedEvent | null)[]; readonly splits: readonly ProvenSplit[] },
  findings: Findings,
): void {
  const areDistinct = new Set(events.map(({ eventId }) => eventId)).size === events.length;
  findings.check('events', 'file', areDistinct, 'Every event is in the file once.', 'An event is in the file more than once.');
  const holds = ({ from, to, eventId }: BundledEdge): boolean =>
    recorded.some(
      (event) =>
        event?.eventId === eventId && event.inputs.includes(BigInt(from)) && event.minted.some(({ tokenId }) => tokenId === BigInt(to)),
    );
  if (edges.length > 0)
    findings.check(
      'lineage ↔ receipts',
      'file',
      edges.every(holds),
      'Every edge of the lineage is in a receipt.',
      'An edge of the lineage is in no receipt.',
    );
  if (!complete) return;
  const made = new Set(recorded.flatMap((event) => event?.minted.map(({ tokenId }) => tokenId) ?? []));
  // A part was made by the event of the lot that it was split from, which may be a part itself. Token ids rise from a lot to its parts.
  for (const { from, to } of splits.toSorted((a, b) => (BigInt(a.to) < BigInt(b.to) ? -1 : 1)))
    if (made.has(BigInt(from))) made.add(BigInt(to));
  const isIncomplete = recorded.some(
    (event) => event !== null && event.containment === 0 && event.minted.length > 0 && event.inputs.some((input) => !made.has(input)),
  );
  findings.check(
    'lineage ↔ inputs',
    'file',
    !isIncomplete,
    'The event that made each input is in the file.',
    'The file says that its lineage is complete, but an event that made an input is not in it.',
  );
}
