import { Injectable } from '@nestjs/common';
import type { TenantTx } from '#persistence';
import { type AsOf, type LotTrace, Traces } from '../../contract.js';
import { useOf } from '../../domain/lot-use.js';
import type { AssetType } from '../../domain/process-map.js';
import { timeOfBlock } from './block-times.js';
import { drawsFrom } from './lot-draws.js';
import { type TracedLot, tracedLots } from './traced-lots.js';

@Injectable()
export class SqlTraces extends Traces {
  override async of(tx: TenantTx, tokenIds: readonly bigint[], asOf: AsOf): Promise<readonly LotTrace[]> {
    const lots = await tracedLots(tx, tokenIds, { block: asOf, time: asOf === null ? null : await timeOfBlock(tx, asOf) });
    const traces = await tracesOf(tx, lots, asOf);
    return traces.toSorted((a, b) => (a.tokenId < b.tokenId ? -1 : 1));
  }
}

/** What was read of the lots as a recall looks at it, in their order. */
export async function tracesOf(tx: TenantTx, lots: readonly TracedLot[], asOf: AsOf): Promise<LotTrace[]> {
  const draws = await drawsFrom(tx, lots, asOf);
  const assets = await assetTypesOf(tx, [...new Set(lots.flatMap((lot) => mapOf(lot) ?? []))]);
  return lots.map((lot) => ({
    tokenId: lot.tokenId,
    tlc: lot.tlc,
    assetType: lot.assetType,
    assetTypeName: lot.assetTypeName,
    status: lot.status,
    retireReason: lot.retireReason,
    recalled: lot.recalledAt !== null,
    usedUp: lot.usedUp,
    custodian: lot.custodian,
    pendingCustodian: lot.pendingCustodian,
    pastCustodians: lot.pastCustodians,
    isContainer: lot.depth > 0,
    remaining: lot.remaining,
    uom: lot.uom,
    unitKg: lot.unitKg,
    recallUnit: assets.get(mapOf(lot) ?? '')?.[lot.assetType ?? '']?.recallUnit ?? null,
    country: lot.country,
    eventId: lot.mintEventId,
    processType: lot.process.processType,
    made: lot.made,
    whole: lot.quantity === null ? null : Number(lot.quantity),
    producedKg: lot.producedKg,
    ...useOf(lot, draws.get(lot.tokenId) ?? []),
  }));
}

const mapOf = ({ processMapName, processMapVersion }: TracedLot): string | null =>
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
