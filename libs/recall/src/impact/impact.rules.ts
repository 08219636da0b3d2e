/** What is counted of a lot that a recall reaches. */
export interface ReachedFacts extends AffectedFacts {
  readonly assetType: string | null;
  readonly assetTypeName: string | null;
  readonly country: string | null;
  readonly producedKg: number | null;
  readonly usedKg: number;
  readonly lossKg: number;
  readonly gapKg: number;
  readonly partRetiredKg: number;
}

/** Where the mass of a lot went, in kilograms; null for a lot without a mass. `accountedPercent` has two decimals. */
export interface Reconciliation {
  readonly producedKg: number;
  readonly usedKg: number;
  readonly onHandKg: number;
  readonly retiredKg: number;
  readonly lossKg: number;
  readonly unaccountedKg: number;
  readonly accountedPercent: number | null;
}

export interface Tally {
  /** EIP-55, sorted: current, pending and past custodians of the recalled and the affected lots. */
  readonly affectedActors: readonly string[];
  readonly actorRoles: ReadonlyMap<string, { readonly roles: ReadonlySet<ActorRole>; readonly tokenIds: readonly bigint[] }>;
  readonly estimatedUnits: number;
  readonly unitsByAssetType: readonly {
    readonly assetType: string | null;
    readonly assetTypeName: string | null;
    readonly lots: number;
    readonly units: number;
  }[];
  /** Remaining, by unit of measure; includes what was sold, exported or lost. */
  readonly quantities: Readonly<Record<string, number>>;
  readonly countries: readonly string[];
  readonly reconciliation: {
    /** Mass counted once: what came into these lots from outside, and where it is. */
    readonly total: Reconciliation;
    readonly lots: readonly { readonly tokenId: bigint; readonly balance: Reconciliation }[];
    /** Lots whose mass is not known. */
    readonly unmeasured: readonly bigint[];
  };
}

type ActorRole = 'custodian' | 'pending' | 'past';

/**
 * Adds up what a recall reaches (docs/spec/domain.md#recall), each sum when it is first asked for: who only wants the units does not pay for
 * ten thousand balances, and an answer whose lots are on their way already adds up the rest meanwhile.
 * @param lots the recalled lot and the affected ones; containers that merely hold one take no part
 */
export function tally(lots: readonly ReachedFacts[]): Tally {
  const [roles, byType, balances] = [once(() => rolesIn(lots)), once(() => byAssetType(lots)), once(() => reconciled(lots))];
  return {
    get affectedActors() {
      return [...roles().keys()].toSorted();
    },
    get actorRoles() {
      return roles();
    },
    get estimatedUnits() {
      return byType().reduce((sum, { units }) => sum + units, 0);
    },
    get unitsByAssetType() {
      return byType();
    },
    get quantities() {
      return quantitiesOf(lots);
    },
    get countries() {
      return [...new Set(lots.flatMap(({ country }) => country ?? []))].toSorted();
    },
    get reconciliation() {
      return balances();
    },
  };
}

function once<Sum>(add: () => Sum): () => Sum {
  let known: { readonly sum: Sum } | undefined;
  return () => (known ??= { sum: add() }).sum;
}

function rolesIn(lots: readonly ReachedFacts[]): Tally['actorRoles'] {
  const actors = new Map<string, { roles: Set<ActorRole>; tokenIds: bigint[] }>();
  const note = (address: string, role: ActorRole, tokenId: bigint): void => {
    let known = actors.get(address);
    if (!known) actors.set(address, (known = { roles: new Set(), tokenIds: [] }));
    known.roles.add(role);
    if (known.tokenIds.at(-1) !== tokenId) known.tokenIds.push(tokenId);
  };
  for (const { tokenId, custodian, pendingCustodian, pastCustodians } of lots) {
    note(custodian, 'custodian', tokenId);
    if (pendingCustodian) note(pendingCustodian, 'pending', tokenId);
    for (const address of pastCustodians) note(address, 'past', tokenId);
  }
  return actors;
}

function byAssetType(lots: readonly ReachedFacts[]): Tally['unitsByAssetType'] {
  const sums = new Map<string | null, { assetType: string | null; assetTypeName: string | null; lots: number; units: number }>();
  for (const lot of lots) {
    let sum = sums.get(lot.assetType);
    if (!sum) sums.set(lot.assetType, (sum = { assetType: lot.assetType, assetTypeName: lot.assetTypeName, lots: 0, units: 0 }));
    sum.lots++;
    sum.units += unitsOf(lot);
  }
  return [...sums.values()].toSorted((a, b) => (a.assetType ?? '').localeCompare(b.assetType ?? '', 'en'));
}

function quantitiesOf(lots: readonly ReachedFacts[]): Record<string, number> {
  const sums = new Map<string, bigint>();
  for (const lot of lots) {
    const counted = lot.uom === null ? null : countedOf(lot);
    if (lot.uom !== null && counted) sums.set(lot.uom, (sums.get(lot.uom) ?? 0n) + counted);
  }
  return Object.fromEntries([...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([uom, micro]) => [uom, Number(micro) / 1e6]));
}

function reconciled(lots: readonly ReachedFacts[]): Tally['reconciliation'] {
  const goods = lots.filter((lot) => !lot.isContainer);
  const measured = goods.filter((lot) => lot.producedKg !== null);
  const each = measured.map((lot) => {
    const rest = lot.remaining === null || lot.unitKg === null ? 0 : (Number(lot.remaining) / 1e6) * lot.unitKg;
    const wholly = lot.status === 'retired';
    return {
      tokenId: lot.tokenId,
      balance: balanceOf({
        producedKg: lot.producedKg!,
        usedKg: lot.usedKg,
        lossKg: lot.lossKg,
        onHandKg: wholly ? 0 : rest,
        retiredKg: lot.partRetiredKg + (wholly ? rest : 0),
      }),
    };
  });
  const sum = (pick: (one: Reconciliation) => number): number => each.reduce((total, { balance }) => total + pick(balance), 0);
  return {
    // What was used is in the lots made of it: counted there, and not here again.
    total: balanceOf({
      producedKg: sum((one) => one.producedKg) - sum((one) => one.usedKg),
      usedKg: 0,
      lossKg: sum((one) => one.lossKg),
      onHandKg: sum((one) => one.onHandKg),
      retiredKg: sum((one) => one.retiredKg),
    }),
    lots: each,
    unmeasured: goods.filter((lot) => lot.producedKg === null).map(({ tokenId }) => tokenId),
  };
}

function balanceOf(of: Omit<Reconciliation, 'unaccountedKg' | 'accountedPercent'>): Reconciliation {
  const accounted = of.usedKg + of.onHandKg + of.retiredKg + of.lossKg;
  return {
    producedKg: rounded(of.producedKg, 1e6),
    usedKg: rounded(of.usedKg, 1e6),
    onHandKg: rounded(of.onHandKg, 1e6),
    retiredKg: rounded(of.retiredKg, 1e6),
    lossKg: rounded(of.lossKg, 1e6),
    unaccountedKg: rounded(of.producedKg - accounted, 1e6),
    accountedPercent: of.producedKg === 0 ? null : rounded((100 * accounted) / of.producedKg, 100),
  };
}

const rounded = (value: number, scale: number): number => Math.round(value * scale) / scale;

/** What an impact needs to know about a lot: part of traceability's `Traceback`. Quantities in millionths, masses in kilograms. */
export interface AffectedFacts {
  readonly tokenId: bigint;
  readonly custodian: string;
  readonly pendingCustodian: string | null;
  /** Everybody else who ever held it. */
  readonly pastCustodians: readonly string[];
  readonly status: string;
  readonly usedUp: boolean;
  readonly retireReason: string | null;
  readonly isContainer: boolean;
  readonly remaining: bigint | null;
  /** Sold, exported or lost in part, independent of the rest. */
  readonly leftSupplyChain: bigint;
  readonly uom: string | null;
  readonly unitKg: number | null;
  readonly recallUnit: { readonly massKg: number } | null;
}

/** Units that count pieces: a unit is a unit, whatever it weighs. */
const PIECES = new Set(['H87', 'C62', 'EA']);
/** Goods retired this way no longer exist. Goods that were sold, exported or lost left the supply chain: a recall is for them. */
const GONE = new Set(['disposed', 'destroyed', 'sampled', 'voided', 'unpacked', 'migrated']);

/** Who holds, is about to hold or once held recalled or affected goods: sorted, unique, EIP-55. */
export function actorsOf(lots: readonly Pick<AffectedFacts, 'custodian' | 'pendingCustodian' | 'pastCustodians'>[]): string[] {
  const actors = new Set<string>();
  for (const { custodian, pendingCustodian, pastCustodians } of lots) {
    actors.add(custodian);
    if (pendingCustodian) actors.add(pendingCustodian);
    for (const address of pastCustodians) actors.add(address);
  }
  return [...actors].toSorted();
}

/**
 * How much of a lot counts, in millionths; null for an unmeasured lot that does. Containers, used-up lots and lots that no longer exist count
 * nothing: contents and products are counted themselves. A part that left the supply chain counts, independent of the rest.
 */
function countedOf(lot: AffectedFacts): bigint | null {
  if (lot.isContainer) return 0n;
  // Not by its status: a used-up lot that is recalled shows `recalled`.
  if (lot.usedUp || (lot.status === 'retired' && GONE.has(lot.retireReason ?? ''))) return lot.leftSupplyChain;
  return lot.remaining === null ? null : lot.remaining + lot.leftSupplyChain;
}

/** Whether something of the lot is to be found: in stock, or out in the market. Of a container nothing is: its contents are found themselves. */
export const isToFind = (lot: AffectedFacts): boolean => countedOf(lot) !== 0n;

/** Consumer units of one lot (docs/spec/domain.md#recall): by the recall unit of its asset type, else pieces as they are, else the lot is one. */
export function unitsOf(lot: AffectedFacts): number {
  const micro = countedOf(lot);
  if (micro === null) return 1;
  if (micro === 0n) return 0;
  const counted = Number(micro) / 1e6;
  if (lot.recallUnit && lot.unitKg !== null) return ceil((counted * lot.unitKg) / lot.recallUnit.massKg);
  return lot.uom !== null && PIECES.has(lot.uom) ? ceil(counted) : 1;
}

/** The rounding error of a division must not count as a unit. */
const ceil = (units: number): number => Math.ceil(units - 1e-9);
