import { Parties } from '#identity';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { Report } from '../reports/read-report.js';
import type { Line } from '#spreadsheets';
import { type Column, type ReportDefinition, textColumn } from '../reports/report.controller.js';
import type { ReportPage, ReportScope } from '../reports/report.js';
import { type CustodianView, InventorySummaryView, StockPlaceView } from './inventory.dto.js';
import { InventoryQueries, type StockRows } from './inventory.queries.js';
import { type StockItem, type StockPlace, stockOf, stockTotals } from './stock.rules.js';

type InventoryRow = Omit<StockPlace, 'custodians'> & { readonly custodians: readonly CustodianView[] };

/**
 * docs/spec/domain.md#inventory, as of now: `from` and `to` select lots by their creation. A lot is where its latest event (by the event's
 * own time) states, else at the site of its custodian, else at `unknown`.
 */
@Injectable()
class ReadInventory extends Report<InventoryRow> {
  static readonly key = { name: 'inventory', cached: true } as const;

  constructor(
    private readonly inventory: InventoryQueries,
    private readonly parties: Parties,
  ) {
    super();
  }

  override async read(tx: TenantTx, scope: ReportScope): Promise<ReportPage<InventoryRow>> {
    const { rows, asOf } = await this.inventory.read(tx, scope, scope.limit + 1);
    const cellsOf = (kind: StockRows['kind']) => rows.flatMap((row) => (row.kind === kind ? row.cells : []));
    const places = stockOf(cellsOf('stock'), cellsOf('coming'), scope.now);
    const page = places.slice(0, scope.limit);
    const labels = await this.parties.labels(tx, [...new Set(page.flatMap(({ custodians }) => custodians))]);
    const custodianOf = (address: string): CustodianView => {
      const { label, kind } = labels.get(address)!;
      return { address, label, labelKind: kind };
    };
    const locations = Number(cellsOf('places')[0]!.lots);
    return {
      summary: { locations, ...stockTotals(cellsOf('all stock'), cellsOf('all coming'), scope.now) },
      rows: page.map((row) => ({ ...row, custodians: row.custodians.map(custodianOf) })),
      total: locations,
      next: places.length > page.length ? [page.at(-1)!.locationKey] : null,
      ...(asOf && { asOf }),
    };
  }
}

const number = (name: string, unit: string, description: string): Column => ({ name, unit, description });

export const inventoryReport: ReportDefinition<InventoryRow> = {
  report: ReadInventory,
  title: 'Lots in stock, by place and custodian',
  parameters: [],
  rows: 'locations',
  rowView: StockPlaceView,
  summaryView: InventorySummaryView,
  columns: [
    textColumn('locationKey', 'identifier of the place'),
    textColumn('locationName', 'name of the place'),
    textColumn('country', 'ISO 3166-1'),
    textColumn('custodians', 'custodians of lots at the place'),
    textColumn('assetType', 'key of the process map'),
    textColumn('assetTypeName', 'name of the asset type'),
    number('lots', '1', 'lots in stock'),
    textColumn('quantity', 'remaining quantity with its unit, one for each unit'),
    number('massKg', 'kg', 'lots with a known mass'),
    number('unmeasuredLots', '1', 'lots without a mass'),
    textColumn('byStatus', 'lots by status'),
    number('recalledLots', '1', 'recalled lots'),
    number('expiredLots', '1', 'lots past their date'),
    textColumn('earliestExpiry', 'earliest date of the lots'),
    number('oldestLotAgeSeconds', 's', 'age of the oldest lot'),
    number('inTransitOutKg', 'kg', 'part of massKg that is offered to somebody else'),
    number('inTransitInKg', 'kg', 'on its way to the place'),
  ],
  cursor: [/^[^]+$/],
  lines: ({ locationKey, location, custodians, items }) => {
    const place = {
      locationKey,
      locationName: textOf(location?.['name']),
      country: textOf(location?.['country']),
      custodians: custodians.map(({ label }) => label),
    };
    return items.map((item) => ({ ...place, ...lineOf(item) }));
  },
};

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const lineOf = ({ quantity, byStatus, massByStatus: _masses, ...item }: StockItem): Line => ({
  ...item,
  quantity: Object.entries(quantity).map(([uom, amount]) => `${amount} ${uom}`),
  byStatus: Object.entries(byStatus).map(([status, lots]) => `${status} ${lots}`),
});
