import type { Hex } from '#kernel';
import type { TenantTx } from '#persistence';
import type { HandOver } from './hand-over.js';

/** A note that is prepared twice has another hash each time. */
export async function saveHandOver(tx: TenantTx, dataHash: Hex, { at, timeZoneOffset, location }: HandOver): Promise<void> {
  await tx.sql(
    `insert into custody.hand_over (tenant_id, data_hash, at, time_zone_offset, location) values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [tx.tenantId, dataHash, at, timeZoneOffset, location && JSON.stringify(location)],
  );
}

/** The known ones among these, by the hash of their note. */
export async function handOversOf(tx: TenantTx, dataHashes: readonly Hex[]): Promise<ReadonlyMap<string, HandOver>> {
  if (dataHashes.length === 0) return new Map();
  const rows = await tx.sql<HandOver & { readonly hash: string }>(
    `select data_hash as hash, at, time_zone_offset as "timeZoneOffset", location from custody.hand_over
     where tenant_id = $1 and data_hash = any($2::text[])`,
    [tx.tenantId, dataHashes],
  );
  return new Map(rows.map(({ hash, ...handOver }) => [hash, handOver]));
}
