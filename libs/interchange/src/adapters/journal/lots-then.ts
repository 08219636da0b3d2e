import type { TenantTx } from '#persistence';
import type { LotThen } from '../../contract.js';

/** Lots as they were after a block, in the order asked for. */
export async function lotsThen(
  tx: TenantTx,
  asked: readonly { readonly tokenId: string; readonly block: string }[],
): Promise<readonly LotThen[]> {
  if (asked.length === 0) return [];
  return tx.sql<LotThen>(
    `select l.token_id::float8 as "tokenId", l.tlc, l.gtin, l.is_container as "isContainer", l.asset_type as "assetType",
       trim_scale(v.remaining)::text as remaining, coalesce(v.uom, l.uom) as uom
     from unnest($2::bigint[], $3::bigint[]) with ordinality as a(token_id, block, place)
     join traceability.lot_v1 l on l.tenant_id = $1 and l.token_id = a.token_id
     left join lateral (
       select v.remaining, v.uom from traceability.lot_version_v1 v
       where v.tenant_id = $1 and v.token_id = a.token_id and v.from_block <= a.block
       order by v.from_block desc, v.from_log desc limit 1) v on true
     order by a.place`,
    [tx.tenantId, asked.map(({ tokenId }) => tokenId), asked.map(({ block }) => block)],
  );
}

/** A condition and its parameters for steps `s` that a filter lets through, on their time. */
export function stepsIn(
  { from, to }: { readonly from?: Date; readonly to?: Date },
  after: { readonly at: Date | null; readonly key: string } | null,
  key: string,
  parameter: (value: unknown) => string,
): string {
  const all = ['true'];
  if (from) all.push(`s.at >= ${parameter(from)}`);
  if (to) all.push(`s.at < ${parameter(to)}`);
  if (after) {
    const at = parameter(after.at);
    // Written so that an index by time is entered at the place.
    all.push(`s.at <= ${at}::timestamptz and (s.at < ${at}::timestamptz or ${key} > ${parameter(after.key)})`);
  }
  return all.join(' and ');
}
