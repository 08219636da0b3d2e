import type { PartyLabel } from '#identity';
import { digitalLinkOf } from '#kernel';
import { decimal } from '../lots/lot.js';
import { publicPart, readsAll } from '../process-maps/visibility.js';
import type { ResponseFacts } from '../lots/lot-list.queries.js';
import { processKey } from '../process-maps/process-maps.queries.js';
import type { SharedFacts, TracebackRow } from './traceback-lots.queries.js';
import { type ResponseContext, type LotView, lotView } from '../lots/lots-response.dto.js';

/** Columns of a `StoredMembers`, in none of which is anything to be escaped: of the lot `l` and of `e`, the event that made it. */
export const STORED_MEMBERS = `e.metadata::text as metadata, '"id":"' || l.id || '","metadataCid":"' || l.metadata_cid || '","txHash":"' || l.mint_tx
  || '","blockNumber":' || l.mint_block || ',"dataHash":"' || l.data_hash || '","createdAt":"'
  || to_char(l.minted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"' as stored`;

export interface StoredMembers {
  /** Members that are shown as they are stored, as JSON. */
  readonly stored: string;
  /** JSON. */
  readonly metadata: string | null;
}

/** Members that two lots do not share, however similar they are. */
const OWN = [
  ...['id', 'tokenId', 'tlc', 'metadataCid', 'metadata', 'txHash', 'blockNumber', 'dataHash', 'expiresAt', 'mintEventId', 'eventCount'],
  ...['createdAt', 'quantity', 'remainingQuantity', 'serial', 'key', 'digitalLink', 'splitFrom', 'containerTokenId', 'confirmed'],
] as const satisfies readonly (keyof LotView)[];

export interface TextContext extends ResponseContext {
  /** Of all custodians. */
  readonly labels: ReadonlyMap<string, PartyLabel>;
}

/**
 * Lots as JSON text, for the impact of a recall alone: what `lotView` answers, without the location. What a lot shares with others is made
 * into text once, by `lotView` itself, and values that are shown as they are stored come as text from the database.
 *
 * Why not a compiled serializer: `lotView` with fast-json-stringify takes 124 ms of processor time for 10,000 lots, this takes 30. An impact
 * takes 1.35 times as long as the walk alone, of 1.5 at most (bench/results/recall.md); with the serializer it would take 1.55.
 *
 * A new field of a lot is in the shared part by itself. Only one that differs from lot to lot is added here, for speed.
 */
export class ResponseText {
  private readonly shared = new Map<SharedFacts, Shared>();

  constructor(private readonly context: TextContext) {}

  /** JSON members, without the braces, in parts. */
  of(lot: TracebackRow, { stored, metadata }: StoredMembers, events: string): readonly string[] {
    let shared = this.shared.get(lot.shared);
    if (!shared) this.shared.set(lot.shared, (shared = sharedBy(lot.shared, this.context)));
    return [
      stored,
      ownText(lot),
      `,"eventCount":${events},"confirmed":${lot.fromBlock <= this.context.finalBlock},"metadata":`,
      metadata === null ? 'null' : shared.pointers === null ? metadata : publicText(metadata, shared.pointers),
      shared.members,
    ];
  }
}

/** The lot's own members, each with a comma in front. */
function ownText({
  tokenId,
  tlc,
  key,
  serial,
  mintEventId,
  shared,
  quantity,
  remaining,
  splitFrom,
  containerTokenId,
  expiresAt,
}: TracebackRow): string {
  const whole = quantityText(quantity);
  const expiry = expiresAt === null ? 'null' : `"${expiresAt.toISOString()}"`;
  const rest = remaining === quantity ? whole : quantityText(remaining);
  const name = JSON.stringify(key);
  const names = `"serial":${JSON.stringify(serial)},"key":${name},"digitalLink":${digitalLinkOf(key) === null ? 'null' : name}`;
  return `,"tokenId":${tokenId},"tlc":${JSON.stringify(tlc)},"mintEventId":"${mintEventId}","expiresAt":${expiry},"quantity":${whole},"remainingQuantity":${rest},${names},"splitFrom":${splitFrom},"containerTokenId":${shared.retired ? null : containerTokenId}`;
}

interface Shared {
  /** With a comma in front. */
  readonly members: string;
  /** What is public of the metadata; null for somebody who reads all of it. */
  readonly pointers: readonly string[] | null;
}

export const processOf = ({ map, version, processType }: SharedFacts): ResponseFacts['process'] => ({ map, version, processType });

function sharedBy(facts: SharedFacts, context: TextContext): Shared {
  const view: Partial<LotView> = lotView(exampleOf(facts, context.labels.get(facts.custodian)!), context);
  for (const own of OWN) delete view[own];
  delete view.location;
  return {
    members: `,${JSON.stringify(view).slice(1, -1)}`,
    pointers: readsAll(context.actor, facts.mintedByOrg) ? null : (context.publicPointers.get(processKey(processOf(facts))) ?? []),
  };
}

/** A lot of this kind, with nothing in the members of its own. */
const exampleOf = (facts: SharedFacts, party: PartyLabel): ResponseFacts => ({
  ...facts,
  ...NOTHING,
  party,
  process: processOf(facts),
  retiredAt: facts.retired ? NOTHING.mintedAt : null,
  recalledAt: facts.recalled ? NOTHING.mintedAt : null,
  containerTokenId: facts.contained ? NOTHING.tokenId : null,
});

const NOTHING = {
  mintTx: '0x' as const,
  dataHash: '0x' as const,
  ...{ tokenId: 0n, id: '', tlc: '', key: '', serial: null, mintEventId: '', mintBlock: 0, mintedAt: new Date(0), metadataCid: '' },
  ...{ fromBlock: 0, splitFrom: null, quantity: null, remaining: null, expiresAt: null, eventCount: 0, metadata: null, place: null },
};

const quantityText = (micro: bigint | null): string => (micro === null ? 'null' : JSON.stringify(decimal(micro)));

const publicText = (metadata: string, pointers: readonly string[]): string =>
  JSON.stringify(publicPart(JSON.parse(metadata) as Record<string, unknown>, pointers));
