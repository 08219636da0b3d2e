import { Injectable } from '@nestjs/common';
import { microToNumber } from '#kernel';
import type { TenantTx } from '#persistence';
import { Footprints, type TreeFootprint } from '../contract/footprint.js';
import type { AsOf, WalkBounds } from '../contract/lineage.js';
import { claimShareOf, type Basis, footprintOf } from './footprint.js';
import { footprintIncomplete, lotNotFound } from '../errors.js';
import { eventsOf, massOf } from './footprint-events.queries.js';
import { MAX_EVENTS, treeOf } from './footprint-tree.queries.js';

/** What was packed into a container that was broken up is somewhere else. */
const NOTHING: ReadonlySet<bigint> = new Set();

interface LotRow {
  readonly retireReason: string | null;
  readonly tlc: string;
  readonly depth: number;
  readonly quantity: string | null;
  readonly remaining: string | null;
  readonly uom: string | null;
  readonly asset: { readonly massPerUnitKg?: number } | null;
}

@Injectable()
export class FootprintQueries extends Footprints {
  override async of(tx: TenantTx, tokenId: bigint, bounds: WalkBounds, asOf: AsOf): Promise<TreeFootprint> {
    const [lot] = await lotsAt(tx, [tokenId], asOf);
    if (!lot) throw lotNotFound(String(tokenId));
    const tree = await treeOf(tx, { tokenId, depth: lot.depth }, bounds, asOf);
    if (tree.walk.truncated) throw footprintIncomplete(tokenId, tree.walk.truncatedBy!, tree.walk.frontier);
    const events = await eventsOf(tx, tree, asOf);
    if (!events) throw footprintIncomplete(tokenId, `${MAX_EVENTS} events`, []);
    const roots = lot.depth === 0 ? [lot] : await lotsAt(tx, [...tree.roots], asOf);
    const held = lot.retireReason === 'unpacked' ? NOTHING : tree.roots;
    const footprint = footprintOf(tree.roots, basisOf(roots, held), events, held);
    return { tokenId, tlc: lot.tlc, ...footprint, claimShare: claimShareOf(tree.roots, events), nodeCount: tree.lots.size };
  }
}

function lotsAt(tx: TenantTx, tokenIds: readonly bigint[], asOf: AsOf): Promise<LotRow[]> {
  return tx.sql<LotRow>(
    `select l.tlc, l.depth, l.retire_reason as "retireReason", l.quantity, l.remaining, l.uom, m.document #> array['assetTypes', l.asset_type] as asset
     from traceability.lot l
     left join traceability.process_map m on m.tenant_id = l.tenant_id and m.name = l.process_map_name and m.version = l.process_map_version
     where l.tenant_id = $1 and l.token_id = any($2::bigint[])
       and ($3::bigint is null and l.to_block is null or l.from_block <= $3 and (l.to_block is null or l.to_block > $3))`,
    [tx.tenantId, tokenIds, asOf],
  );
}

/** Of several lots what can be added up: masses where all are known, quantities where they have one unit. */
function basisOf(lots: readonly LotRow[], held: ReadonlySet<bigint>): Basis {
  const uoms = [...new Set(lots.map(({ uom }) => uom))];
  const amounts = (pick: 'quantity' | 'remaining'): (number | null)[] =>
    lots.map((lot) => (lot[pick] === null ? null : microToNumber(BigInt(lot[pick]))));
  const masses = (pick: 'quantity' | 'remaining'): (number | null)[] =>
    amounts(pick).map((amount, i) => massOf(amount, lots[i]!.uom, lots[i]!.asset ?? undefined));
  return {
    massKg: sumOf(masses('quantity')),
    remainingKg: held.size === 0 && lots.length > 0 ? 0 : sumOf(masses('remaining')),
    quantity: uoms.length === 1 ? sumOf(amounts('quantity')) : null,
    remaining: uoms.length !== 1 ? null : held.size === 0 ? 0 : sumOf(amounts('remaining')),
    uom: uoms.length === 1 ? uoms[0]! : null,
  };
}

/** Null as soon as one is unknown. */
const sumOf = (values: readonly (number | null)[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0);
