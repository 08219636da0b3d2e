export interface Measurement {
  readonly operation: string;
  readonly gas: number;
  /** What one lot of the batch costs: the mean, or for a mint what each lot after the first one adds. */
  readonly perLot?: number;
}
