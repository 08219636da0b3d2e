import type { TenantTx } from '#persistence';

/** A holder of lots of a recall or a drill. */
export interface AskedHolder {
  /** EIP-55. */
  readonly address: string;
  readonly lots: number;
  /** Lots of which the holder has said what was done with them. */
  readonly acknowledged: number;
}

/** Whom recalls, and drills that ask, ask what they did with their lots. */
export abstract class AskedHolders {
  /** None where it is over, or not known. */
  abstract of(tx: TenantTx, id: string): Promise<readonly AskedHolder[]>;
}
