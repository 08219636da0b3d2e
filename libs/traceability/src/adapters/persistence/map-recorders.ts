import { Injectable } from '@nestjs/common';
import { ProcessDirectory, type ProcessRecorders } from '#identity';
import type { TenantTx } from '#persistence';
import { rolesFor } from '../../domain/process-map.js';
import { SqlProcessMaps } from './sql-process-maps.js';

/** For identity: the processes of the newest published maps and who may record them. */
@Injectable()
export class MapRecorders extends ProcessDirectory {
  private readonly maps = new SqlProcessMaps();

  override async processes(tx: TenantTx): Promise<readonly ProcessRecorders[]> {
    const maps = await this.maps.all(tx);
    return maps.flatMap(({ document }) =>
      Object.entries(document.processes).map(([processType, process]) => ({ processType, roles: rolesFor(process) })),
    );
  }
}
