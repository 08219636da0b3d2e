/** uint8 of the contract (R_* in contracts/src/LotWord.sol). `voided` and `unpacked` are set by the contract alone. */
export const RETIRE_REASONS = {
  1: 'sold',
  2: 'disposed',
  3: 'destroyed',
  4: 'lost',
  5: 'sampled',
  6: 'voided',
  7: 'exported',
  8: 'unpacked',
  9: 'migrated',
} as const;
export type RetireReason = (typeof RETIRE_REASONS)[keyof typeof RETIRE_REASONS];

/** Goods that are retired this way left the supply chain: a recall is for them (docs/spec/domain.md#recall). */
export const LEAVES_SUPPLY_CHAIN: ReadonlySet<RetireReason> = new Set(['sold', 'exported', 'lost']);
