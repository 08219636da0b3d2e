import { Injectable } from '@nestjs/common';
import type { TenantTx } from '#persistence';
import { ProcessMap, type PublishedProcess, processIdOf, processIn } from '../../domain/process-map.js';
import { ProcessMaps } from '../../ports.js';

const MAX_REMEMBERED = 500;
/** Highest version first; a version is three numbers of any length, and clocks may disagree about what came later. */
const HIGHEST = `string_to_array(version, '.')::numeric[] desc`;

/** Published versions never change, so a document read once is remembered. */
@Injectable()
export class SqlProcessMaps extends ProcessMaps {
  private readonly remembered = new Map<string, ProcessMap>();

  override async process(tx: TenantTx, processType: string): Promise<PublishedProcess | null> {
    return (await this.processes(tx, [processType])).get(processType) ?? null;
  }

  override async processes(tx: TenantTx, processTypes: readonly string[]): Promise<ReadonlyMap<string, PublishedProcess>> {
    // PostgreSQL has no U+0000, and no key has one.
    const folded = processTypes.filter((key) => !key.includes('\u0000')).map((key) => key.toLowerCase());
    const owned = await this.owned(tx, 'p.folded', folded);
    return new Map(owned.filter((found) => processTypes.includes(found.processType)).map((found) => [found.processType, found]));
  }

  override async processById(tx: TenantTx, processId: string): Promise<PublishedProcess | null> {
    return (await this.owned(tx, 'p.process_id', [processId.toLowerCase()]))[0] ?? null;
  }

  private async owned(tx: TenantTx, column: 'p.folded' | 'p.process_id', values: readonly string[]): Promise<PublishedProcess[]> {
    if (values.length === 0) return [];
    const found = await tx.sql<{ process_type: string; name: string; version: string }>(
      `select p.process_type, m.name, m.version from traceability.process_type p
       join lateral (select name, version from traceability.process_map
                     where tenant_id = p.tenant_id and name = p.map_name order by ${HIGHEST} limit 1) m on true
       where p.tenant_id = $1 and ${column} = any($2::text[])`,
      [tx.tenantId, values],
    );
    const processes: PublishedProcess[] = [];
    for (const { process_type, name, version } of found) {
      // Read once, then remembered: a question a map, not a process.
      const map = await this.version(tx, name, version);
      const published = map && processIn(map, process_type);
      if (published) processes.push(published);
    }
    return processes;
  }

  override async processTypes(tx: TenantTx) {
    return tx.sql<{ processType: string; mapName: string }>(
      'select process_type as "processType", map_name as "mapName" from traceability.process_type where tenant_id = $1 order by process_type',
      [tx.tenantId],
    );
  }

  override async version(tx: TenantTx, name: string, version: string): Promise<ProcessMap | null> {
    const key = `${tx.tenantId} ${name} ${version}`;
    const known = this.remembered.get(key);
    if (known) return known;
    const map = await tx.repository(ProcessMap).findOneBy({ tenantId: tx.tenantId, name, version });
    if (!map) return null;
    if (this.remembered.size >= MAX_REMEMBERED) this.remembered.delete(this.remembered.keys().next().value!);
    this.remembered.set(key, map);
    return map;
  }

  override async newest(tx: TenantTx, name: string): Promise<ProcessMap | null> {
    const [newest] = await tx.sql<{ version: string }>(
      `select version from traceability.process_map where tenant_id = $1 and name = $2 order by ${HIGHEST} limit 1`,
      [tx.tenantId, name],
    );
    return newest ? this.version(tx, name, newest.version) : null;
  }

  override versions(tx: TenantTx, name?: string) {
    return tx.sql<Omit<ProcessMap, 'document'>>(
      `select tenant_id as "tenantId", name, version, cid, published_at as "publishedAt", published_by as "publishedBy"
       from traceability.process_map where tenant_id = $1 and ($2::text is null or name = $2) order by ${HIGHEST}`,
      [tx.tenantId, name ?? null],
    );
  }

  override async all(tx: TenantTx): Promise<readonly ProcessMap[]> {
    const newest = await tx.sql<{ name: string; version: string }>(
      `select distinct on (name) name, version from traceability.process_map where tenant_id = $1 order by name, ${HIGHEST}`,
      [tx.tenantId],
    );
    const maps: ProcessMap[] = [];
    for (const { name, version } of newest) maps.push((await this.version(tx, name, version))!);
    return maps;
  }

  override async lock(tx: TenantTx): Promise<void> {
    await tx.sql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`process_map ${tx.tenantId}`]);
  }

  override async publish(tx: TenantTx, map: ProcessMap): Promise<void> {
    await tx.repository(ProcessMap).insert(map as never);
    const processTypes = Object.keys(map.document.processes);
    await tx.sql(
      `insert into traceability.process_type (tenant_id, folded, process_type, process_id, map_name)
       select $1, lower(t.process_type), t.process_type, t.process_id, $2 from unnest($3::text[], $4::text[]) as t(process_type, process_id)
       on conflict (tenant_id, folded) do nothing`,
      [tx.tenantId, map.name, processTypes, processTypes.map(processIdOf)],
    );
  }
}
