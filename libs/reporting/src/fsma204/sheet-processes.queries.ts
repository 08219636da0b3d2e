import { heldBytes, SharedCache } from '#kernel';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type DeclaredProcess, type SheetProcess, sheetProcess } from './kde.js';

const MiB = 1024 * 1024;

/** The processes of published maps as the sheet needs them. A version never changes, so one that was read stays in memory. */
@Injectable()
export class SheetProcessQueries {
  private readonly remembered = new SharedCache<readonly SheetProcess[]>({ whole: 32 * MiB, share: 8 * MiB });

  /** Of every published map of the tenant, by `processName`. */
  async all(tx: TenantTx): Promise<ReadonlyMap<string, SheetProcess>> {
    const maps = await tx.sql<{ name: string; version: string }>(
      'select name, version from traceability.process_map_v1 where tenant_id = $1 order by name, published_at',
      [tx.tenantId],
    );
    const found = new Map<string, SheetProcess>();
    const processes = await Promise.all(maps.map(({ name, version }) => this.of(tx, name, version)));
    for (const [i, { name: map, version }] of maps.entries())
      for (const process of processes[i]!) found.set(processName({ map, version, processType: process.processType }), process);
    return found;
  }

  private async of(tx: TenantTx, name: string, version: string): Promise<readonly SheetProcess[]> {
    const known = this.remembered.get(tx.tenantId, `${name}@${version}`);
    if (known) return known;
    const processes = await tx.sql<DeclaredProcess>(
      `select process_type as "processType", kind, fsma204, fields, public_pointers as "publicPointers", kdes
       from traceability.process_v1 where tenant_id = $1 and map_name = $2 and map_version = $3 order by process_type`,
      [tx.tenantId, name, version],
    );
    const read = processes.map(sheetProcess);
    this.remembered.set(tx.tenantId, `${name}@${version}`, read, heldBytes(read));
    return read;
  }
}

export const processName = ({
  map,
  version,
  processType,
}: {
  readonly map: string | null;
  readonly version: string | null;
  readonly processType: string | null;
}): string => `${map}@${version}/${processType}`;
