/**
 * What a call costs when no sender is known and the chain cannot be asked: the measured figures of the contract's gas
 * table (bench/results), a party's first appearance (42k) not counted. Base, then gas per element of the longest lists.
 */
const TABLE: Readonly<Record<string, { readonly base: number; readonly perInput?: number; readonly perOutput?: number }>> = {
  recordEvent: { base: 68_000, perInput: 8_300, perOutput: 53_500 },
  voidEvent: { base: 55_000, perInput: 5_500, perOutput: 9_000 },
  amendEvent: { base: 70_000 },
  offerCustody: { base: 52_000, perInput: 7_300 },
  acceptCustody: { base: 44_000, perInput: 7_300 },
  rejectCustody: { base: 36_000, perInput: 6_000 },
  cancelCustody: { base: 36_000, perInput: 6_000 },
  recall: { base: 35_000 },
  recallMany: { base: 30_000, perInput: 6_100 },
  liftRecall: { base: 30_000, perInput: 6_100 },
  retire: { base: 36_000, perInput: 6_500 },
  settle: { base: 30_000, perInput: 12_000 },
  setProcessScope: { base: 28_000, perInput: 24_500 },
  setRoles: { base: 50_000 },
};
const OTHERS = 80_000;
/** An event that rides on a custody or retire call adds its commitment and its log. */
const RIDING_EVENT = 42_000;
const ZERO_ID = /^0x0*$/;

export function gasFromTable(method: string, args: readonly unknown[]): number {
  const row = TABLE[method] ?? { base: OTHERS };
  const lists = args.filter((arg): arg is unknown[] => Array.isArray(arg));
  const inputs = lists.find((list) => typeof list[0] !== 'object')?.length ?? 0;
  const outputs = lists.find((list) => typeof list[0] === 'object')?.length ?? 0;
  return row.base + (row.perInput ?? 0) * inputs + (row.perOutput ?? 0) * outputs + (args.some(isRidingEvent) ? RIDING_EVENT : 0);
}

function isRidingEvent(arg: unknown): boolean {
  if (arg === null || typeof arg !== 'object' || !('eventId' in arg) || !('processId' in arg)) return false;
  return typeof arg.eventId === 'string' && !ZERO_ID.test(arg.eventId) && !('mode' in arg);
}
