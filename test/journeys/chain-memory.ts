export type Kind = 'wet' | 'dry' | 'milled' | 'bags' | 'pallet' | 'other';

/** What was asked for, in all chains of a tenant. */
export class ChainMemory {
  /** Code, and key as GS1 has it, of every lot. */
  readonly codes = new Map<number, { readonly tlc: string; readonly key: string; readonly kind: Kind }>();
  /** Carbon that each event declared, kg. */
  readonly carbon = new Map<string, number>();
  readonly superseded = new Set<string>();
  minute = 0;
}
