import { Injectable } from '@nestjs/common';
import type { TenantScope, Hex } from '#kernel';
import { UnitOfWork, type TenantTx } from '#persistence';
import { processMapNotFound } from '../errors.js';
import { type Process, type ProcessMap, rolesFor } from './process-map.js';
import { loadGtins, ofNewestProcesses, ProcessMapQueries } from './process-maps.queries.js';
import { type CataloguedProcess, type ProcessShape, type ProcessView, Processes } from '../contract/preparation.js';
import { ProcessDirectory, type ProcessRecorders } from '#identity';

const NAME = /^[a-z][a-z0-9-]{1,39}$/;
const VERSION = /^[0-9.]{5,40}$/;

/** A map in its newest or a named version, with the versions that there are. */
@Injectable()
export class FindProcessMap {
  constructor(
    private readonly work: UnitOfWork,
    private readonly maps: ProcessMapQueries,
  ) {}

  /** @throws DomainError 404 `process_map_not_found` */
  async find(
    scope: TenantScope,
    name: string,
    version: string | null,
  ): Promise<{ readonly map: ProcessMap; readonly versions: readonly string[] }> {
    if (!NAME.test(name) || (version !== null && !VERSION.test(version))) throw processMapNotFound(name);
    const known = await this.work.read(scope, (tx) => this.maps.versions(tx, name));
    const versions = known.map((one) => one.version);
    const named = version ?? versions[0];
    // Published versions stay, so that another snapshot has it too. Mostly it is remembered, and nothing is read.
    const map =
      named !== undefined && versions.includes(named)
        ? await this.work.inTransaction(scope, (tx) => this.maps.version(tx, name, named))
        : null;
    if (!map) throw processMapNotFound(version === null ? name : `${name} ${version}`);
    return { map, versions };
  }
}

@Injectable()
export class ReadProcesses extends Processes {
  constructor(private readonly maps: ProcessMapQueries) {
    super();
  }

  override async byProcessId(tx: TenantTx, processId: Hex): Promise<ProcessView | null> {
    const found = await this.maps.processById(tx, processId);
    return (
      found && {
        processType: found.processType,
        kind: found.process.kind,
        containmentMode: found.process.containmentMode,
        outputAssetType: found.process.outputs.assetType ?? null,
      }
    );
  }

  override async shapeOf(tx: TenantTx, processType: string): Promise<ProcessShape | null> {
    const found = await this.maps.process(tx, processType);
    if (!found) return null;
    const { process, map } = found;
    const { label, metadataSchema, inputs, outputs } = process;
    const schema = typeof metadataSchema === 'boolean' ? metadataSchema : { ...metadataSchema, $defs: map.document.$defs ?? {} };
    return { processType: found.processType, label, schema, takesLots: inputs.max !== 0, makesLot: outputs.max > 0 };
  }

  override async catalogue(tx: TenantTx): Promise<readonly CataloguedProcess[]> {
    const gtins = await loadGtins(tx);
    const processes = await ofNewestProcesses<Omit<CataloguedProcess, 'gtins'>>(
      tx,
      `m.name as "mapName", p.value -> 'epcis' as epcis, p.value #> '{inputs,assetTypes}' as "inputAssetTypes",
       p.value #>> '{outputs,assetType}' as "outputAssetType", coalesce(p.value #> '{outputs,coProducts}', '[]') as "coProducts",
       coalesce(p.value -> 'fields', '{}') as fields`,
    );
    return processes.map((process) => ({ ...process, gtins: gtins.get(process.mapName) ?? new Map<string, string>() }));
  }
}

/** For identity: the processes of the newest published maps and who may record them. */
@Injectable()
export class MapRecorders extends ProcessDirectory {
  override async processes(tx: TenantTx): Promise<readonly ProcessRecorders[]> {
    const processes = await ofNewestProcesses<Pick<Process, 'requiredRoles'> & { readonly processType: string }>(
      tx,
      `p.value -> 'requiredRoles' as "requiredRoles"`,
    );
    return processes.map(({ processType, requiredRoles }) => ({ processType, roles: rolesFor({ requiredRoles }) }));
  }
}
