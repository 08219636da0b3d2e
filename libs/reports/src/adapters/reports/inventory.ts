import { Parties } from '#identity';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type StockItem, type StockPlace, stockOf, stockTotals } from '../../domain/stock.js';
import { type About, type Cell, type Outcome, Report, type Scope } from '../../ports.js';
import { REPORT_READERS } from './access.js';
import { type Found, inventoryOf } from './inventory.sql.js';
import { type CustodianView, InventorySummaryView, StockPlaceView } from './inventory.views.js';
import { stockCells } from './stock-cells.js';

const number = (name: string, unit: string, description: string) => ({ name, unit, description });
const text = (name: string, description: string) => ({ name, unit: null, description });

const about: About = {
  name: 'inventory',
  title: 'What is in stock, by the place where its custodian has it',
  access: REPORT_READERS,
  kept: true,
  parameters: [],
  rows: 'locations',
  rowView: () => StockPlaceView,
  summaryView: () => InventorySummaryView,
  columns: [
    text('locationKey', 'identifier of the place'),
    text('locationName', 'its name'),
    text('country', 'ISO 3166-1'),
    text('custodians', 'who holds lots there'),
    text('assetType', 'key of the process map'),
    text('assetTypeName', 'its name'),
    number('lots', '1', 'live lots'),
    text('quantity', 'what is left of them, with its unit; one a unit'),
    number('massKg', 'kg', 'of those whose mass is known'),
    number('unmeasuredLots', '1', 'lots without a mass'),
    text('byStatus', 'lots by status'),
    number('recalledLots', '1', 'recalled'),
    number('expiredLots', '1', 'past their date'),
    text('earliestExpiry', 'first date among them'),
    number('oldestLotAgeSeconds', 's', 'since the oldest was made'),
    number('inTransitOutKg', 'kg', 'of massKg: offered to somebody else'),
    number('inTransitInKg', 'kg', 'on its way here'),
  ],
  place: [/^[^]+$/],
};

type Row = Omit<StockPlace, 'custodians'> & { readonly custodians: readonly CustodianView[] };

/**
 * domain-decisions §6.6, of now: `from` and `to` choose lots by when they were made. A lot stands where the latest event by its own time
 * says, else at the site of its custodian, else at `unknown`.
 */
@Injectable()
export class InventoryReport extends Report<Row> {
  static readonly about = about;

  constructor(private readonly parties: Parties) {
    super();
  }

  override async run(tx: TenantTx, scope: Scope): Promise<Outcome<Row>> {
    const { cells, parameters, asOf } = await stockCells(tx, scope);
    const wallets = scope.organisation?.wallets ?? null;
    const found = await tx.sql<Found>(inventoryOf(cells, parameters.length), [
      ...parameters,
      wallets,
      scope.after?.[0] ?? null,
      scope.limit + 1,
    ]);
    const of = (kind: Found['kind']) => found.flatMap((row) => (row.kind === kind ? row.cells : []));
    const places = stockOf(of('stock'), of('coming'), scope.now);
    const page = places.slice(0, scope.limit);
    const labels = await this.parties.labels(tx, [...new Set(page.flatMap(({ custodians }) => custodians))]);
    const named = (address: string): CustodianView => {
      const { label, kind } = labels.get(address)!;
      return { address, label, labelKind: kind };
    };
    const locations = Number(of('places')[0]!.lots);
    return {
      summary: { locations, ...stockTotals(of('all stock'), of('all coming'), scope.now) },
      rows: page.map((row) => ({ ...row, custodians: row.custodians.map(named) })),
      total: locations,
      next: places.length > page.length ? [page.at(-1)!.locationKey] : null,
      ...(asOf && { asOf }),
    };
  }

  override lines({ locationKey, location, custodians, items }: Row) {
    const place = {
      locationKey,
      locationName: textOf(location?.['name']),
      country: textOf(location?.['country']),
      custodians: custodians.map(({ label }) => label),
    };
    return items.map((item) => ({ ...place, ...lineOf(item) }));
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const lineOf = ({ quantity, byStatus, ...item }: StockItem): Record<string, Cell> => ({
  ...item,
  quantity: Object.entries(quantity).map(([uom, amount]) => `${amount} ${uom}`),
  byStatus: Object.entries(byStatus).map(([status, lots]) => `${status} ${lots}`),
});
