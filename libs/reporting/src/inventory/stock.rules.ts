import { type Figure, figure } from '../reports/report.js';

type Place = Readonly<Record<string, unknown>>;

/** Lots of one kind and status at one place, summed by the database; times as ISO 8601. */
export interface StockCell {
  readonly locationKey: string;
  readonly location: Place | null;
  readonly custodians: readonly string[];
  readonly assetType: string | null;
  readonly assetTypeName: string | null;
  readonly uom: string | null;
  readonly status: string;
  readonly lots: Figure;
  readonly quantity: Figure;
  readonly massKg: Figure;
  readonly unmeasuredLots: Figure;
  readonly inTransitOutKg: Figure;
  readonly recalledLots: Figure;
  readonly expiredLots: Figure;
  readonly earliestExpiry: string | null;
  readonly oldest: string | null;
}

/** Goods on their way to a place. */
export interface InboundCell extends Pick<StockCell, 'locationKey' | 'location' | 'assetType' | 'assetTypeName'> {
  readonly inTransitInKg: Figure;
}

interface Figures {
  lots: number;
  /** By unit; units are never added. */
  quantity: Record<string, number>;
  /** Mass of lots with a known mass; null if there are none. */
  massKg: number | null;
  /** Lots without a quantity, a unit or a mass. */
  unmeasuredLots: number;
  byStatus: Record<string, number>;
  massByStatus: Record<string, number>;
  recalledLots: number;
  expiredLots: number;
  earliestExpiry: Date | null;
  oldestLotAgeSeconds: number | null;
  inTransitOutKg: number;
  inTransitInKg: number;
}

export interface StockItem extends Figures {
  readonly assetType: string | null;
  readonly assetTypeName: string | null;
}

export interface StockPlace {
  readonly locationKey: string;
  readonly location: Place | null;
  readonly custodians: readonly string[];
  readonly items: readonly StockItem[];
  readonly totals: Figures;
}

/** docs/spec/domain.md#inventory. Places and asset types in the order of their keys. */
export function stockOf(cells: readonly StockCell[], inbound: readonly InboundCell[], now: Date): StockPlace[] {
  const places = new Map<string, { location: Place | null; custodians: Set<string>; items: Map<string, StockItem>; totals: Figures }>();
  const placeOf = (cell: InboundCell | StockCell) => {
    const place = places.get(cell.locationKey) ?? { location: cell.location, custodians: new Set(), items: new Map(), totals: none() };
    places.set(cell.locationKey, place);
    const { assetType, assetTypeName } = cell;
    const item = place.items.get(assetType ?? '') ?? { assetType, assetTypeName, ...none() };
    place.items.set(assetType ?? '', item);
    return { place, figures: [item, place.totals] };
  };
  for (const cell of cells) {
    const { place, figures } = placeOf(cell);
    for (const custodian of cell.custodians) place.custodians.add(custodian);
    for (const each of figures) add(each, cell, now);
  }
  for (const cell of inbound) for (const each of placeOf(cell).figures) each.inTransitInKg = plus(each.inTransitInKg, cell.inTransitInKg);
  return [...places].toSorted(byKey).map(([locationKey, { location, custodians, items, totals }]) => ({
    locationKey,
    location,
    custodians: [...custodians].toSorted(),
    items: [...items].toSorted(byKey).map(([, item]) => item),
    totals,
  }));
}

/** Figures over all places. */
export function stockTotals(cells: readonly StockCell[], inbound: readonly InboundCell[], now: Date): Figures {
  const totals = none();
  for (const cell of cells) add(totals, cell, now);
  for (const cell of inbound) totals.inTransitInKg = plus(totals.inTransitInKg, cell.inTransitInKg);
  return totals;
}

const none = (): Figures => ({
  lots: 0,
  quantity: {},
  massKg: null,
  unmeasuredLots: 0,
  byStatus: {},
  massByStatus: {},
  recalledLots: 0,
  expiredLots: 0,
  earliestExpiry: null,
  oldestLotAgeSeconds: null,
  inTransitOutKg: 0,
  inTransitInKg: 0,
});

function add(into: Figures, cell: StockCell, now: Date): void {
  into.lots += Number(cell.lots);
  if (cell.uom !== null && cell.quantity !== null) into.quantity[cell.uom] = plus(into.quantity[cell.uom] ?? 0, cell.quantity);
  if (cell.massKg !== null) {
    into.massKg = plus(into.massKg ?? 0, cell.massKg);
    into.massByStatus[cell.status] = plus(into.massByStatus[cell.status] ?? 0, cell.massKg);
  }
  into.unmeasuredLots += Number(cell.unmeasuredLots);
  into.byStatus[cell.status] = (into.byStatus[cell.status] ?? 0) + Number(cell.lots);
  into.recalledLots += Number(cell.recalledLots);
  into.expiredLots += Number(cell.expiredLots);
  const expiry = cell.earliestExpiry === null ? null : new Date(cell.earliestExpiry);
  if (expiry && (!into.earliestExpiry || expiry < into.earliestExpiry)) into.earliestExpiry = expiry;
  if (cell.oldest !== null)
    into.oldestLotAgeSeconds = Math.max(into.oldestLotAgeSeconds ?? 0, Math.floor((now.getTime() - Date.parse(cell.oldest)) / 1000));
  into.inTransitOutKg = plus(into.inTransitOutKg, cell.inTransitOutKg);
}

const plus = (sum: number, more: Figure): number => figure(sum + (figure(more) ?? 0))!;
/** The order of the database. */
const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
