import { Injectable } from '@nestjs/common';
import type { TenantTx } from '#persistence';
import { type AsOf, type LotTrace, Traces } from '../../contract.js';
import { type Draw, useOf } from '../../domain/lot-use.js';
import type { AssetType } from '../../domain/process-map.js';
import { timeOfBlock } from './block-times.js';
import { drawsFrom } from './lot-draws.js';
import { type Holders, holdersOf } from './lot-holders.js';
import { type Alike, type TracedLot, tracedLots } from './traced-lots.js';

@Injectable()
export class SqlTraces extends Traces {
  override async of(tx: TenantTx, tokenIds: readonly bigint[], asOf: AsOf): Promise<readonly LotTrace[]> {
    const lots = await tracedLots(tx, tokenIds, { block: asOf, time: asOf === null ? null : await timeOfBlock(tx, asOf) });
    const traces = await tracesOf(tx, lots, await drawsFrom(tx, lots, asOf), await holdersOf(tx, tokenIds, asOf));
    return traces.toSorted((a, b) => (a.tokenId < b.tokenId ? -1 : 1));
  }
}

/** What was read of the lots as a recall looks at it, in their order. */
export async function tracesOf(
  tx: TenantTx,
  lots: readonly TracedLot[],
  draws: ReadonlyMap<bigint, readonly Draw[]>,
  holders: Holders,
): Promise<LotTrace[]> {
  const assets = await assetTypesOf(tx, [...new Set([...new Set(lots.map(({ alike }) => alike))].flatMap((alike) => mapOf(alike) ?? []))]);
  const units = new Map<Alike, LotTrace['recallUnit']>();
  return lots.map((lot): LotTrace => {
    const { alike } = lot;
    const use = useOf({ quantity: lot.quantity, remaining: lot.remaining, unitKg: alike.unitKg }, draws.get(lot.tokenId) ?? NONE);
    if (!units.has(alike)) units.set(alike, assets.get(mapOf(alike) ?? '')?.[alike.assetType ?? '']?.recallUnit ?? null);
    return {
      tokenId: lot.tokenId,
      tlc: lot.tlc,
      assetType: alike.assetType,
      assetTypeName: alike.assetTypeName,
      status: alike.status,
      retireReason: alike.retireReason,
      recalled: alike.recalled,
      usedUp: alike.usedUp,
      custodian: alike.custodian,
      pendingCustodian: alike.pendingCustodian,
      pastCustodians: holders.get(String(lot.tokenId))?.filter((custodian) => custodian !== alike.custodian) ?? NOBODY,
      isContainer: alike.depth > 0,
      remaining: lot.remaining,
      outThere: lot.outThere,
      uom: alike.uom,
      unitKg: alike.unitKg,
      recallUnit: units.get(alike)!,
      country: alike.country,
      eventId: lot.mintEventId,
      processType: alike.processType,
      made: alike.made,
      whole: lot.quantity === null ? null : Number(lot.quantity),
      producedKg: lot.producedKg,
      usedKg: use.usedKg,
      lossKg: use.lossKg,
      gapKg: use.gapKg,
      partRetiredKg: use.partRetiredKg,
    };
  });
}

const NONE: readonly Draw[] = [];
const NOBODY: readonly string[] = [];

const mapOf = ({ processMapName, processMapVersion }: Alike): string | null =>
  processMapName === null || processMapVersion === null ? null : `${processMapName}@${processMapVersion}`;

/** Asset types by `name@version`: a document is read once, not once a lot. */
async function assetTypesOf(tx: TenantTx, maps: readonly string[]): Promise<ReadonlyMap<string, Readonly<Record<string, AssetType>>>> {
  if (maps.length === 0) return new Map();
  const rows = await tx.sql<{ key: string; assets: Readonly<Record<string, AssetType>> }>(
    `select name || '@' || version as key, document -> 'assetTypes' as assets from traceability.process_map
     where tenant_id = $1 and name || '@' || version = any($2::text[])`,
    [tx.tenantId, maps],
  );
  return new Map(rows.map(({ key, assets }) => [key, assets]));
}
