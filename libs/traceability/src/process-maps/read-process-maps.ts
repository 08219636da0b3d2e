import { Injectable } from '@nestjs/common';
import type { TenantScope, Hex } from '#kernel';
import { UnitOfWork, type TenantTx } from '#persistence';
import { processMapNotFound } from '../errors.js';
import { type Process, type ProcessMap, rolesFor } from './process-map.js';
import { loadGtins, ofNewestProcesses, ProcessMapQueries } from './process-maps.queries.js';
import { type CataloguedProcess, type ProcessView, Processes } from '../contract/preparation.js';
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
    return this.work.inTransaction(scope, async (tx) => {
      const map = version === null ? await this.maps.newest(tx, name) : await this.maps.version(tx, name, version);
      if (!map) throw processMapNotFound(version === null ? name : `${name} ${version}`);
      return { map, versions: (await this.maps.versions(tx, name)).map((known) => known.version) };
    });
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
