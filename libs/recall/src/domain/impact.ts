import { type AffectedFacts, countedOf, unitsOf } from './affected.js';

/** What is counted of a lot that a recall reaches. */
export interface ReachedLot extends AffectedFacts {
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
  /** Remaining, by unit of measure; what was retired wholly or in part and is out there included. */
  readonly quantities: Readonly<Record<string, number>>;
  readonly countries: readonly string[];
  readonly reconciliation: {
    readonly total: Reconciliation;
    readonly lots: readonly { readonly tokenId: bigint; readonly balance: Reconciliation }[];
    /** Lots whose mass is not known. */
    readonly unmeasured: readonly bigint[];
  };
}

export type ActorRole = 'custodian' | 'pending' | 'past';

/**
 * Adds up what a recall reaches (domain-decisions §3), each sum when it is first asked for: who only wants the units does not pay for
 * ten thousand balances, and an answer whose lots are on their way already adds up the rest meanwhile.
 * @param lots the recalled lot and the affected ones; containers that merely hold one take no part
 */
export function tally(lots: readonly ReachedLot[]): Tally {
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

function rolesIn(lots: readonly ReachedLot[]): Tally['actorRoles'] {
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

function byAssetType(lots: readonly ReachedLot[]): Tally['unitsByAssetType'] {
  const sums = new Map<string | null, { assetType: string | null; assetTypeName: string | null; lots: number; units: number }>();
  for (const lot of lots) {
    let sum = sums.get(lot.assetType);
    if (!sum) sums.set(lot.assetType, (sum = { assetType: lot.assetType, assetTypeName: lot.assetTypeName, lots: 0, units: 0 }));
    sum.lots++;
    sum.units += unitsOf(lot);
  }
  return [...sums.values()].toSorted((a, b) => (a.assetType ?? '').localeCompare(b.assetType ?? '', 'en'));
}

function quantitiesOf(lots: readonly ReachedLot[]): Record<string, number> {
  const sums = new Map<string, bigint>();
  for (const lot of lots) {
    const counted = lot.uom === null ? null : countedOf(lot);
    if (lot.uom !== null && counted) sums.set(lot.uom, (sums.get(lot.uom) ?? 0n) + counted);
  }
  return Object.fromEntries([...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([uom, micro]) => [uom, Number(micro) / 1e6]));
}

function reconciled(lots: readonly ReachedLot[]): Tally['reconciliation'] {
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
    total: balanceOf({
      producedKg: sum((one) => one.producedKg),
      usedKg: sum((one) => one.usedKg),
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
