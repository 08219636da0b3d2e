import { Injectable } from '@nestjs/common';
import type { Hex } from '#kernel';
import type { TenantTx } from '#persistence';
import { type ProcessView, Processes } from '../../contract.js';
import { ProcessMaps } from '../../ports.js';

@Injectable()
export class PublishedProcesses extends Processes {
  constructor(private readonly maps: ProcessMaps) {
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
}
