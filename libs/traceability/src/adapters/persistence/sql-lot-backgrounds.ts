import { Injectable } from '@nestjs/common';
import { keccakOf } from '#kernel';
import { type TenantTx, arrayParameter } from '#persistence';
import { type LotBackground, LotBackgrounds } from '../../ports.js';

@Injectable()
export class SqlLotBackgrounds extends LotBackgrounds {
  override async of(tx: TenantTx, tokenIds: readonly bigint[]): Promise<readonly LotBackground[]> {
    const rows = await tx.sql<Omit<LotBackground, 'tokenId'> & { tokenId: string }>(
      `select l.token_id as "tokenId", l.expires_at as "expiresAt", l.depth, e.event_time as "madeAt",
              e.metadata #>> '{footprint,gwp}' as gwp,
              exists (select from traceability.recall_affected r
                      where r.tenant_id = l.tenant_id and r.token_id = l.token_id and r.to_block is null) as "recallAffected"
       from traceability.lot l
       left join traceability.event e on e.tenant_id = l.tenant_id and e.id = l.mint_event_id
       where l.tenant_id = $1 and l.token_id = any($2::bigint[]) and l.to_block is null`,
      [tx.tenantId, tokenIds.map(String)],
    );
    return rows.map((row) => ({ ...row, tokenId: BigInt(row.tokenId), gwp: row.gwp === 'AR5' || row.gwp === 'AR6' ? row.gwp : null }));
  }

  override async takenTlcs(tx: TenantTx, tlcs: readonly string[]): Promise<ReadonlySet<string>> {
    // A lot whose code is unknown stands there under its hash.
    const asked = new Map(
      tlcs.flatMap((tlc): [string, string][] => [
        [tlc, tlc],
        [keccakOf(tlc), tlc],
      ]),
    );
    const rows = await tx.sql<{ tlc: string }>(
      `select tlc from traceability.lot
       where tenant_id = $1 and tlc = any($2::text[]) and to_block is null and retire_reason is distinct from 'voided'`,
      [tx.tenantId, arrayParameter('text', [...asked.keys()])],
    );
    return new Set(rows.map((row) => asked.get(row.tlc)!));
  }
}
