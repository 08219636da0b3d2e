import { digitalLink } from '../../domain/lot.js';
import { decimal } from '../../domain/projection-event.js';
import { publicPart, readsAll } from '../../domain/projection-visibility.js';
import type { ShownLot } from '../persistence/lot-reads.js';
import { processKey } from '../persistence/map-words.js';
import type { Alike, TracedLot } from '../persistence/traced-lots.js';
import { type LotSurroundings, type LotView, lotView } from './lots.view.js';

/** Columns of a `StoredText`, in none of which is anything to be escaped: of the lot `l` and of `e`, the event that made it. */
export const STORED_TEXT = `e.metadata::text as metadata, concat(
  '"id":"', l.id, '","metadataCid":"', l.metadata_cid, '","txHash":"', l.mint_tx, '","blockNumber":', l.mint_block,
  ',"dataHash":"', l.data_hash, '","createdAt":"', to_char(l.minted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"'
  ) as stored`;

export interface StoredText {
  /** Members that are shown as they are stored, as JSON. */
  readonly stored: string;
  /** JSON. */
  readonly metadata: string | null;
}

/** What is known of a lot before anything around it is: made while the next lots are on their way. */
export interface OwnText {
  /** JSON members. */
  readonly own: string;
  /** JSON. */
  readonly metadata: string | null;
}

/** Members of nobody but the lot. */
export function ownText(lot: TracedLot, { stored, metadata }: StoredText): OwnText {
  const { alike, quantity, remaining, containerTokenId, expiresAt } = lot;
  const whole = quantityText(quantity);
  const own = [
    `${stored},"tokenId":${lot.tokenId},"tlc":${JSON.stringify(lot.tlc)},"mintEventId":"${lot.mintEventId}"`,
    `"expiresAt":${expiresAt === null ? null : `"${expiresAt.toISOString()}"`}`,
    `"quantity":${whole},"remainingQuantity":${remaining === quantity ? whole : quantityText(remaining)}`,
    `"digitalLink":${alike.gtin === null ? null : JSON.stringify(digitalLink(alike.gtin, alike.resolved ? lot.tlc : null))}`,
    `"containerTokenId":${alike.retired ? null : containerTokenId}`,
  ].join(',');
  return { own, metadata };
}

/** Members that two lots do not share, however alike they are. */
const OWN = [
  ...['id', 'tokenId', 'tlc', 'metadataCid', 'metadata', 'txHash', 'blockNumber', 'dataHash', 'expiresAt', 'mintEventId', 'eventCount'],
  ...['createdAt', 'quantity', 'remainingQuantity', 'digitalLink', 'containerTokenId', 'confirmed'],
] as const satisfies readonly (keyof LotView)[];

/**
 * Lots as JSON texts: what `lotView` shows, but for the place. What a lot has in common with others is made into text once, and what is
 * stored as it is shown is text already: a view of forty fields for each of ten thousand lots costs more than all that is asked of them.
 */
export class LotTexts {
  private readonly shared = new Map<Alike, Shared>();

  constructor(private readonly around: LotSurroundings) {}

  /** JSON members, without the braces. */
  of({ alike, fromBlock }: TracedLot, { own, metadata }: OwnText, events: string): string {
    let shared = this.shared.get(alike);
    if (!shared) this.shared.set(alike, (shared = sharedBy(alike, this.around)));
    return [
      own,
      `"eventCount":${events},"metadata":${metadata === null || shared.pointers === null ? metadata : publicText(metadata, shared.pointers)}`,
      `"confirmed":${fromBlock <= this.around.finalBlock}`,
      shared.members,
    ].join(',');
  }
}

interface Shared {
  readonly members: string;
  /** What is public of the metadata; null for somebody who reads all of it. */
  readonly pointers: readonly string[] | null;
}

export const processOf = ({ map, version, processType }: Alike): ShownLot['process'] => ({ map, version, processType });

function sharedBy(alike: Alike, around: LotSurroundings): Shared {
  const view: Partial<LotView> = lotView(exampleOf(alike), around);
  for (const own of OWN) delete view[own];
  delete view.location;
  return {
    members: JSON.stringify(view).slice(1, -1),
    pointers: readsAll(around.actor, alike.mintedByOrg) ? null : (around.publicPointers.get(processKey(processOf(alike))) ?? []),
  };
}

/** A lot of this kind, with nothing in the members of its own. */
const exampleOf = (alike: Alike): ShownLot => ({
  ...alike,
  ...NOTHING,
  process: processOf(alike),
  retiredAt: alike.retired ? NOTHING.mintedAt : null,
  recalledAt: alike.recalled ? NOTHING.mintedAt : null,
  containerTokenId: alike.contained ? NOTHING.tokenId : null,
});

const NOTHING = {
  mintTx: '0x' as const,
  dataHash: '0x' as const,
  ...{ tokenId: 0n, id: '', tlc: '', mintEventId: '', mintBlock: 0, mintedAt: new Date(0), metadataCid: '' },
  ...{ fromBlock: 0, quantity: null, remaining: null, expiresAt: null, eventCount: 0, metadata: null, locatedBy: null },
};

const quantityText = (micro: bigint | null): string => (micro === null ? 'null' : JSON.stringify(decimal(micro)));

const publicText = (metadata: string, pointers: readonly string[]): string =>
  JSON.stringify(publicPart(JSON.parse(metadata) as Record<string, unknown>, pointers));
