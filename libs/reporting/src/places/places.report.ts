import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { Report } from '../reports/read-report.js';
import { type ReportDefinition, textColumn } from '../reports/report.controller.js';
import { type ReportPage, type ReportScope, pageOf } from '../reports/report.js';
import { PlaceView, PlacesSummaryView } from './places.dto.js';
import { PlacesQueries } from './places.queries.js';
import { placeRows, placesSummary } from './places.rules.js';

/** docs/spec/domain.md#places */
@Injectable()
class ReadPlaces extends Report<PlaceView> {
  static readonly key = { name: 'places', cached: true } as const;

  constructor(private readonly places: PlacesQueries) {
    super();
  }

  override async read(tx: TenantTx, scope: ReportScope): Promise<ReportPage<PlaceView>> {
    const { found, names, eventsRead, incomplete, asOf } = await this.places.read(tx, scope);
    const rows = placeRows(found, (orgId) => names.get(orgId) ?? null);
    return { summary: placesSummary(rows, eventsRead, incomplete), ...pageOf(rows, scope), ...(asOf && { asOf }) };
  }
}

export const placesReport: ReportDefinition<PlaceView> = {
  report: ReadPlaces,
  title: 'Sites, plots of land and other places, with their positions',
  parameters: [],
  rows: 'places',
  rowView: PlaceView,
  summaryView: PlacesSummaryView,
  columns: [
    textColumn('placeKey', 'identifier of the place'),
    textColumn('kind', 'site, plot or place'),
    textColumn('name', 'name, or id of a plot'),
    textColumn('country', 'ISO 3166-1'),
    { name: 'longitude', unit: '°', description: 'of its middle' },
    { name: 'latitude', unit: '°', description: 'of its middle' },
    textColumn('exact', 'whether the position was recorded; else it is the middle of the country'),
    { name: 'areaHa', unit: 'ha', description: 'declared area of a plot' },
    textColumn('organisations', 'whose site it is, or who recorded its events'),
    textColumn('processTypes', 'of its events'),
    { name: 'events', unit: '1', description: 'events of the period that state it' },
    textColumn('firstAt', 'earliest of its events'),
    textColumn('lastAt', 'latest of its events'),
  ],
  cursor: [/^\d{1,9}$/],
  lines: ({ position, geometry: _geometry, exact, ...row }) => [
    { ...row, longitude: position?.[0] ?? null, latitude: position?.[1] ?? null, exact: String(exact) },
  ],
};
