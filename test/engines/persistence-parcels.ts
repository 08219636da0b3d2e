import { newId } from '#kernel';
import type { ContextPersistence, TenantTx, Tx } from '#persistence';
import { EntitySchema } from 'typeorm';

/** A context as small as one can be: what the suites store. */
export class Parcel {
  id: string;
  tenantId: string;
  label: string;
  grams: bigint;

  static of(tenantId: string, label: string, grams = 0n): Parcel {
    return Object.assign(new Parcel(), { id: newId(), tenantId, label, grams });
  }
}

export const parcels: ContextPersistence = {
  schema: 'parcels',
  migrations: new URL('./persistence-fixture/', import.meta.url),
  entities: [
    new EntitySchema<Parcel>({
      name: 'parcel',
      target: Parcel,
      schema: 'parcels',
      tableName: 'parcel',
      columns: {
        tenantId: { name: 'tenant_id', type: 'uuid', primary: true },
        id: { type: 'uuid', primary: true },
        label: { type: 'text' },
        grams: { type: 'bigint', transformer: { to: (grams: bigint) => grams?.toString(), from: (grams: string) => BigInt(grams) } },
      },
    }),
  ],
};

export const save = (tx: TenantTx, label: string, grams = 0n): Promise<Parcel> =>
  tx.repository(Parcel).save(Parcel.of(tx.tenantId, label, grams));

/** By a statement, which `UnitOfWork.write` takes. */
export const add = (tx: Pick<TenantTx, 'tenantId' | 'sql'>, label: string): Promise<unknown> =>
  tx.sql('insert into parcels.parcel (tenant_id, id, label, grams) values ($1, $2, $3, 0)', [tx.tenantId, newId(), label]);

export const labels = async (tx: Tx): Promise<string[]> =>
  (await tx.sql<{ label: string }>('select label from parcels.parcel order by label')).map(({ label }) => label);
