import { type Problem, fromMicro, toMicro, unitFactor } from '#kernel';

/** What a holder did with a recalled or affected lot. */
export const ACKNOWLEDGED_STATES = ['quarantined', 'returned', 'destroyed', 'not_found'] as const;
export type AcknowledgedState = (typeof ACKNOWLEDGED_STATES)[number];

/** One lot of a request. */
export interface LotAnswer {
  readonly tokenId: bigint;
  readonly state: AcknowledgedState;
  /** Of how much of it; the whole lot without it. */
  readonly quantity: { readonly value: string | number; readonly uom: string } | null;
}

/** What a holder said last of a lot. */
export interface Acknowledgement {
  readonly id: string;
  readonly tokenId: bigint;
  /** EIP-55 address that held the lot. */
  readonly holder: string;
  readonly orgId: string | null;
  readonly state: AcknowledgedState;
  /** Plain decimal text, at most six places. */
  readonly quantity: string | null;
  readonly uom: string | null;
  /** User or API key. */
  readonly by: string;
  readonly at: Date;
}

/** What is known of a lot that a recall reaches. Quantities in millionths. */
export interface ReachedLot {
  readonly tokenId: bigint;
  readonly tlc: string;
  readonly custodian: string;
  readonly uom: string | null;
  readonly remaining: bigint | null;
  readonly leftSupplyChain: bigint;
}

/** Different answers that one holder gives of one lot of a recall: each is kept and published. */
export const MOST_ANSWERS = 50;

export const tooManyAnswers = (place: number, tokenId: bigint): Problem => ({
  pointer: `/lots/${place}/tokenId`,
  code: 'too_many_answers',
  message: `You have changed your answer for lot ${tokenId} ${MOST_ANSWERS} times: the last one counts. Ask the recaller to note what is different.`,
});

/** Problems of a request, by the place of each lot in it. @param reached lots that the recall reaches, by token id */
export function problemsOf(answers: readonly LotAnswer[], reached: ReadonlyMap<bigint, ReachedLot>): readonly Problem[] {
  const seen = new Set<bigint>();
  return answers.flatMap(({ tokenId, quantity }, i) => {
    const at = (field: string, code: string, message: string): Problem[] => [{ pointer: `/lots/${i}/${field}`, code, message }];
    const lot = reached.get(tokenId);
    if (!lot) return at('tokenId', 'not_in_recall', `The recall does not reach lot ${tokenId}.`);
    if (seen.has(tokenId)) return at('tokenId', 'duplicate', `Lot ${tokenId} is named twice.`);
    seen.add(tokenId);
    return quantity === null ? [] : quantityProblems(quantity, lot, at);
  });
}

function quantityProblems(
  { value, uom }: NonNullable<LotAnswer['quantity']>,
  lot: ReachedLot,
  at: (field: string, code: string, message: string) => Problem[],
): Problem[] {
  const micro = toMicro(value);
  if (micro === null)
    return at('quantity/value', 'invalid_quantity', 'A quantity is a decimal above 0 with at most six places, below 2^53 millionths.');
  if (lot.uom === null) return [];
  const factor = unitFactor(uom, lot.uom);
  if (factor === null) return at('quantity/uom', 'unit_mismatch', `${uom} cannot be converted to ${lot.uom}, the unit of the lot.`);
  const most = heldOf(lot);
  if (most !== null && factor.times(fromMicro(micro)).gt(fromMicro(most)))
    return at('quantity/value', 'more_than_there_is', `Of lot ${lot.tokenId} there are ${fromMicro(most)} ${lot.uom}.`);
  return [];
}

/** Whether a holder who says the same again says nothing new. */
export const isSame = (known: Acknowledgement | undefined, next: Omit<Acknowledgement, 'id' | 'by' | 'at'>): boolean =>
  known !== undefined &&
  known.holder === next.holder &&
  known.state === next.state &&
  known.quantity === next.quantity &&
  known.uom === next.uom;

/** How much there is of a lot to answer for, in millionths of its unit; null: not measured. */
export const heldOf = ({ remaining, leftSupplyChain }: ReachedLot): bigint | null =>
  remaining === null ? null : remaining + leftSupplyChain;

/** Whether an answer leaves some of the lot open: it was not found, or the answer is of less than there is. */
export function isShort({ lot, acknowledgement: said }: LotState): boolean {
  if (said === null) return false;
  if (said.state === 'not_found') return true;
  const [held, micro] = [heldOf(lot), said.quantity === null ? null : toMicro(said.quantity)];
  if (held === null || micro === null || lot.uom === null || said.uom === null) return false;
  const factor = unitFactor(said.uom, lot.uom);
  return factor !== null && factor.times(fromMicro(micro)).lt(fromMicro(held));
}

/** A lot with what its present holder said of it; null: nothing yet. What an earlier holder said does not count for the present one. */
export interface LotState {
  readonly lot: ReachedLot;
  readonly acknowledgement: Acknowledgement | null;
}

export function statesOf(lots: readonly ReachedLot[], latest: ReadonlyMap<bigint, Acknowledgement>): readonly LotState[] {
  const states = lots.map((lot) => {
    const said = latest.get(lot.tokenId);
    return { lot, acknowledgement: said?.holder === lot.custodian ? said : null };
  });
  const isOpen = ({ acknowledgement }: LotState): boolean => acknowledgement === null;
  return [...states.filter(isOpen), ...states.filter((state) => !isOpen(state))];
}

/** Of a recall that is over: the answers that were given, each with its holder of then. What moved since is not known of it. */
export const answeredStates = (lots: readonly ReachedLot[], latest: ReadonlyMap<bigint, Acknowledgement>): readonly LotState[] =>
  lots.flatMap((lot) => {
    const said = latest.get(lot.tokenId);
    if (!said) return [];
    const isHeld = said.holder === lot.custodian;
    return [{ lot: isHeld ? lot : { ...lot, custodian: said.holder, remaining: null }, acknowledgement: said }];
  });

export interface HolderState {
  readonly address: string;
  readonly lots: number;
  readonly acknowledged: number;
  /** Answered lots of which some is open: see `isShort`. */
  readonly short: number;
  /** What it is to answer for, in millionths by unit. */
  readonly held: ReadonlyMap<string, bigint>;
}

/** By address, those with most lots missing first. */
export function holdersOf(states: readonly LotState[]): readonly HolderState[] {
  const holders = new Map<string, { address: string; lots: number; acknowledged: number; short: number; held: Map<string, bigint> }>();
  for (const state of states) {
    const { lot, acknowledgement } = state;
    const holder = holders.get(lot.custodian) ?? { address: lot.custodian, lots: 0, acknowledged: 0, short: 0, held: new Map() };
    holder.lots++;
    if (acknowledgement) holder.acknowledged++;
    if (isShort(state)) holder.short++;
    const held = heldOf(lot);
    if (held !== null && lot.uom !== null) holder.held.set(lot.uom, (holder.held.get(lot.uom) ?? 0n) + held);
    holders.set(lot.custodian, holder);
  }
  const missing = ({ lots, acknowledged }: HolderState): number => lots - acknowledged;
  return [...holders.values()].toSorted((a, b) => missing(b) - missing(a) || a.address.localeCompare(b.address));
}

/** How many lots are in which state; `missing` has no answer. */
export function countsOf(states: readonly LotState[]): Readonly<Record<AcknowledgedState | 'missing', number>> {
  const counts = { quarantined: 0, returned: 0, destroyed: 0, not_found: 0, missing: 0 };
  for (const { acknowledgement } of states) counts[acknowledgement?.state ?? 'missing']++;
  return counts;
}
