import type { Measurement } from './measurement.js';

/** A figure that docs and estimates rely on. It may drift by 3 % before somebody has to look. */
export interface Figure {
  readonly name: string;
  readonly promised: number;
  readonly measured: (of: GasTable) => number;
}

export const tolerance = 0.03;

export class GasTable {
  private readonly rows: ReadonlyMap<string, Measurement>;

  constructor(measurements: readonly Measurement[]) {
    this.rows = new Map(measurements.map((row) => [row.operation, row]));
  }

  gas(operation: string): number {
    return this.row(operation).gas;
  }

  perLot(operation: string): number {
    return this.row(operation).perLot ?? Number.NaN;
  }

  private row(operation: string): Measurement {
    const row = this.rows.get(operation);
    if (!row) throw new Error(`"${operation}" is not measured`);
    return row;
  }
}

const total = (name: string, promised: number): Figure => ({ name, promised, measured: (of) => of.gas(name) });

export const figures: readonly Figure[] = [
  total('new tenant', 193_000),
  total('mint 1', 121_000),
  { name: 'each further lot', promised: 53_000, measured: (of) => of.perLot('mint 100') },
  {
    name: 'first appearance of a party',
    promised: 42_000,
    measured: (of) => of.gas('mint 1 to a custodian never seen') - of.gas('mint 1'),
  },
  total('transform 10 to 1, all of each', 195_000),
  total('split 1 to 10', 603_000),
  total('aggregate 50', 534_000),
  total('disaggregate 50', 67_000),
  total('offer and accept 1', 102_000),
  total('offer and accept 100', 1_490_000),
  total('offer and accept a container of 50', 102_000),
  total('offer and accept a part of 1', 136_000),
  total('accept 1 with a shortage', 90_000),
  total('recall 1', 58_000),
  total('recallMany 100', 699_000),
  total('retire 1', 41_000),
  total('void a transformation 10 to 1', 114_000),
  total('deploy a passkey account', 122_500),
  total('mint 1 with a passkey, more than with a plain wallet', 34_900),
  total('mint 1, 20 times in one batch with a passkey', 1_882_000),
];
