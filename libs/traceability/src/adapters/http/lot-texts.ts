import { digitalLink } from '../../domain/lot.js';
import { decimal } from '../../domain/projection-event.js';
import { publicPart, readsAll } from '../../domain/projection-visibility.js';
import type { ShownLot } from '../persistence/lot-reads.js';
import { processKey } from '../persistence/map-words.js';
import type { Alike, TracedLot } from '../persistence/traced-lots.js';
import { type LotSurroundings, type LotView, lotView } from './lots.view.js';

/** Columns of a `StoredText`, in none of which is anything to be escaped: of the lot `l` and of `e`, the event that made it. */
export const STORED_TEXT = `e.metadata::text as metadata, '"id":"' || l.id || '","metadataCid":"' || l.metadata_cid || '","txHash":"' || l.mint_tx
  || '","blockNumber":' || l.mint_block || ',"dataHash":"' || l.data_hash || '","createdAt":"'
  || to_char(l.minted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"' as stored`;

export interface StoredText {
  /** Members that are shown as they are stored, as JSON. */
  readonly stored: string;
  /** JSON. */
  readonly metadata: string | null;
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

  /** JSON members, without the braces, in parts. */
  of(lot: TracedLot, { stored, metadata }: StoredText, events: string): readonly string[] {
    let shared = this.shared.get(lot.alike);
    if (!shared) this.shared.set(lot.alike, (shared = sharedBy(lot.alike, this.around)));
    return [
      stored,
      ownText(lot),
      `,"eventCount":${events},"confirmed":${lot.fromBlock <= this.around.finalBlock},"metadata":`,
      metadata === null ? 'null' : shared.pointers === null ? metadata : publicText(metadata, shared.pointers),
      shared.members,
    ];
  }
}

/** Members of nobody but the lot, each with a comma in front. */
function ownText({ tokenId, tlc, mintEventId, alike, quantity, remaining, containerTokenId, expiresAt }: TracedLot): string {
  const whole = quantityText(quantity);
  const expiry = expiresAt === null ? 'null' : `"${expiresAt.toISOString()}"`;
  const rest = remaining === quantity ? whole : quantityText(remaining);
  const link = alike.gtin === null ? 'null' : JSON.stringify(digitalLink(alike.gtin, alike.resolved ? tlc : null));
  return `,"tokenId":${tokenId},"tlc":${JSON.stringify(tlc)},"mintEventId":"${mintEventId}","expiresAt":${expiry},"quantity":${whole},"remainingQuantity":${rest},"digitalLink":${link},"containerTokenId":${alike.retired ? null : containerTokenId}`;
}

interface Shared {
  /** With a comma in front. */
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
    members: `,${JSON.stringify(view).slice(1, -1)}`,
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
