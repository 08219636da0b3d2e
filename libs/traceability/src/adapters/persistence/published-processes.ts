import { Injectable } from '@nestjs/common';
import type { Hex } from '#kernel';
import type { TenantTx } from '#persistence';
import { type CataloguedProcess, type ProcessView, Processes } from '../../contract.js';
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

  override async catalogue(tx: TenantTx): Promise<readonly CataloguedProcess[]> {
    const maps = await this.maps.all(tx);
    return maps.flatMap(({ name, document }) => {
      const gtins = new Map(
        Object.entries(document.assetTypes).flatMap(([key, { gtin }]): [string, string][] =>
          gtin === undefined ? [] : [[gtin.padStart(14, '0'), key]],
        ),
      );
      return Object.entries(document.processes).map(([processType, { epcis, inputs, outputs, fields = {} }]) => ({
        processType,
        mapName: name,
        epcis,
        inputAssetTypes: inputs.assetTypes,
        outputAssetType: outputs.assetType ?? null,
        coProducts: outputs.coProducts ?? [],
        fields,
        gtins,
      }));
    });
  }
}
