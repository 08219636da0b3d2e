import { atPointer, kilogramsPer, toMicro, unitFactor } from '#kernel';
import type { ImpactSource } from '../footprint/footprint.js';
import { declarationOf, expectedIndicators } from '../footprint/footprint-declared.js';
import type { FlowOutput, Member } from '../footprint/footprint-flow.js';
import type { ProcessMap } from '../process-maps/process-map.js';
import type { Scenario } from './scenario.js';

interface Stated {
  readonly value: number;
  readonly uom: string;
}

/** A scenario's events as the footprint reads them, as if each had landed; token ids are numbers in the order of the lots. */
export class FootprintScenario {
  readonly events: ImpactSource[] = [];
  private readonly lots = new Map<string, { tokenId: bigint; uom: string; output: FlowOutput }>();

  constructor(
    private readonly map: ProcessMap,
    scenario: Scenario,
  ) {
    for (const stage of scenario.steps) {
      const { processType, metadata } = stage;
      if (processType !== undefined && metadata !== undefined)
        this.record(processType, stage.inputTlcs ?? [], stage.outputTlc ?? null, metadata);
    }
  }

  tokenOf(tlc: string): bigint {
    return this.lots.get(tlc)!.tokenId;
  }

  lotOf(tlc: string): FlowOutput {
    return this.lots.get(tlc)!.output;
  }

  codes(): string[] {
    return [...this.lots.keys()];
  }

  private record(processType: string, inputTlcs: readonly string[], outputTlc: string | null, metadata: Record<string, unknown>): void {
    const process = this.map.document.processes[processType]!;
    const stated = new Map(((metadata['inputs'] ?? []) as { tlc: string; quantity?: Stated }[]).map((line) => [line.tlc, line.quantity]));
    const draws = process.containmentMode === 0 && ['full', 'partial'].includes(process.inputs.consumption);
    const inputs = inputTlcs.map((tlc) => {
      const lot = this.lots.get(tlc)!;
      const given = stated.get(tlc);
      const whole = Number.MAX_SAFE_INTEGER;
      const drawn = given ? Number(toMicro(given.value)) * unitFactor(given.uom, lot.uom)!.toNumber() : whole;
      return { tokenId: lot.tokenId, drawn: draws ? drawn : 0 };
    });
    const coProducts = (metadata['coProducts'] ?? []) as { tlc: string; assetType: string; quantity: Stated }[];
    const main = outputTlc && {
      tlc: outputTlc,
      assetType: process.outputs.assetType!,
      quantity: metadata['quantity'] as Stated | undefined,
    };
    const outputs = [...(main ? [main] : []), ...coProducts].map((line) => this.mint(line, process.footprint?.allocation?.factors));
    const declaration = declarationOf(process, (pointer) => atPointer(metadata, pointer));
    const members = inputs.map(({ tokenId }): Member => ({ tokenId, massKg: null }));
    this.events.push({
      id: `event-${this.events.length}`,
      processType,
      map: this.map.name,
      country: (metadata['location'] as { country?: string }).country ?? null,
      inputs,
      outputs,
      packs: process.containmentMode === 1 ? { container: outputs[0]!.tokenId, members } : null,
      breaks: process.containmentMode === 2 ? inputs[0]!.tokenId : null,
      cradle: declaration.cradle,
      retires: false,
      declaration,
      expected: expectedIndicators(process, process.kind),
    });
  }

  private mint(
    line: { tlc: string; assetType: string; quantity?: Stated | undefined },
    factors: Readonly<Record<string, number>> | undefined,
  ): FlowOutput {
    const asset = this.map.document.assetTypes[line.assetType]!;
    const quantity = line.quantity ? line.quantity.value * unitFactor(line.quantity.uom, asset.uom)!.toNumber() : null;
    const each = kilogramsPer(asset.uom, asset.massPerUnitKg);
    const output: FlowOutput = {
      tokenId: BigInt(this.lots.size + 1),
      quantity: quantity === null ? null : quantity * 1e6,
      massKg: quantity === null || each === null ? null : each.times(quantity).toNumber(),
      factor: factors?.[line.assetType] ?? 1,
    };
    this.lots.set(line.tlc, { tokenId: output.tokenId, uom: asset.uom, output });
    return output;
  }
}
