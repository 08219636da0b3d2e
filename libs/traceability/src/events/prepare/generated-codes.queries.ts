import { Injectable } from '@nestjs/common';
import { type TenantTx, arrayParameter } from '#persistence';
import type { GeneratedCode } from '../../process-maps/event-reading.js';

/** Codes that were made from templates: each is given away once, whatever becomes of its event. */
@Injectable()
export class GeneratedCodeQueries {
  /** The highest number of each series that was given away. */
  async last(tx: TenantTx, series: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (series.length === 0) return new Map();
    const rows = await tx.sql<{ series: string; number: number }>(
      `select a.series, n.number from unnest($2::text[]) as a(series) cross join lateral (
         select g.number from traceability.generated_code g where g.tenant_id = $1 and g.series = a.series order by g.number desc limit 1) n`,
      [tx.tenantId, arrayParameter('text', series)],
    );
    return new Map(rows.map(({ series: name, number }) => [name, number]));
  }

  async known(tx: TenantTx, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await tx.sql<{ key: string }>(
      'select key from traceability.generated_code where tenant_id = $1 and key = any($2::text[])',
      [tx.tenantId, arrayParameter('text', keys)],
    );
    return new Set(rows.map(({ key }) => key));
  }

  /** Gives these away, as far as nobody else got them. In one order, so that two requests do not wait for each other. @returns the keys of those */
  async take(tx: TenantTx, codes: readonly GeneratedCode[]): Promise<ReadonlySet<string>> {
    const all = codes.toSorted((a, b) => (a.key < b.key ? -1 : 1));
    const rows = await tx.sql<{ key: string }>(
      `insert into traceability.generated_code (tenant_id, key, series, number)
       select $1, c.* from unnest($2::text[], $3::text[], $4::integer[]) as c on conflict do nothing returning key`,
      [
        tx.tenantId,
        arrayParameter(
          'text',
          all.map(({ key }) => key),
        ),
        arrayParameter(
          'text',
          all.map(({ series }) => series),
        ),
        arrayParameter(
          'integer',
          all.map(({ number }) => number),
        ),
      ],
    );
    return new Set(rows.map(({ key }) => key));
  }

  async giveBack(tx: TenantTx, keys: readonly string[]): Promise<void> {
    await tx.sql('delete from traceability.generated_code where tenant_id = $1 and key = any($2::text[])', [
      tx.tenantId,
      arrayParameter('text', keys),
    ]);
  }
}
