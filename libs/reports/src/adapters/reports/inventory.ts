import { EnumField, IntegerField, JsonObjectField, NumberField, ObjectField, ObjectListField, StringField } from '#http';
import { Parties } from '#identity';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type InboundCell, type StockCell, type StockItem, type StockPlace, stockOf, stockTotals } from '../../domain/stock.js';
import { type About, type Cell, type Outcome, Report, type Scope } from '../../ports.js';
import { REPORT_READERS } from './access.js';
import { pageAfter } from './page-after.js';

const LABEL_KINDS = ['organization', 'facility', 'user', 'partner', 'contract', 'address'];

class CustodianView {
  @StringField({ description: 'EIP-55' })
  address: string;

  @StringField({ description: 'Who that is' })
  label: string;

  @EnumField(LABEL_KINDS, { description: 'What the label names' })
  labelKind: string;
}

class StockTotalsView {
  @IntegerField({ description: 'Live lots; containers do not count, what is in them does' })
  lots: number;

  @JsonObjectField({ description: 'What is left of them, one number a unit (UNECE Rec 20)', example: { KGM: 1401, H87: 1400 } })
  quantity: Readonly<Record<string, number>>;

  @NumberField({ description: 'Of the lots whose mass is known, kg; null where none is', nullable: true })
  massKg: number | null;

  @IntegerField({ description: 'Lots without a quantity, a unit or a mass: not in massKg' })
  unmeasuredLots: number;

  @JsonObjectField({ description: 'Lots by status', example: { active: 3 } })
  byStatus: Readonly<Record<string, number>>;

  @IntegerField({ description: 'Recalled ones' })
  recalledLots: number;

  @IntegerField({ description: 'Those past their date, whatever their status shows first' })
  expiredLots: number;

  @StringField({ description: 'The first date among them', format: 'date-time', nullable: true })
  earliestExpiry: string | null;

  @IntegerField({ description: 'Since the oldest one was made (its createdAt), s', nullable: true })
  oldestLotAgeSeconds: number | null;

  @NumberField({ description: 'Of massKg: offered to somebody else, not accepted yet, kg' })
  inTransitOutKg: number;

  @NumberField({ description: 'Not in massKg: on its way here, kg' })
  inTransitInKg: number;
}

class StockItemView extends StockTotalsView {
  @StringField({ description: 'Key of the process map; null where it is not known', nullable: true })
  assetType: string | null;

  @StringField({ description: 'Its name', nullable: true })
  assetTypeName: string | null;
}

class StockPlaceView {
  @StringField({ description: 'GS1 Digital Link of the GLN, or another identifier; `unknown` where no event and no site says' })
  locationKey: string;

  @JsonObjectField({ description: '`{ id, gln, name, street, city, region, postalCode, country, geo }` as known', nullable: true })
  location: Readonly<Record<string, unknown>> | null;

  @ObjectListField(() => CustodianView, { description: 'Who holds lots there' })
  custodians: readonly CustodianView[];

  @ObjectListField(() => StockItemView, { description: 'By what they are' })
  items: readonly StockItemView[];

  @ObjectField(() => StockTotalsView, { description: 'Over the items' })
  totals: StockTotalsView;
}

class InventorySummaryView extends StockTotalsView {
  @IntegerField({ description: 'Places' })
  locations: number;
}

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
  place: [/^\d{1,9}$/],
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
    const { organisation, from, to, readsAll } = scope;
    const parameters = [tx.tenantId, organisation?.wallets ?? null, from, to];
    const cells = await tx.sql<StockCell>(STOCK, [...parameters, readsAll ? null : organisation!.orgId]);
    const inbound = await tx.sql<InboundCell>(INBOUND, parameters);
    const { rows, ...page } = pageAfter(stockOf(cells, inbound, scope.now), scope);
    const labels = await this.parties.labels(tx, [...new Set(rows.flatMap(({ custodians }) => custodians))]);
    const named = (address: string): CustodianView => {
      const { label, kind } = labels.get(address)!;
      return { address, label, labelKind: kind };
    };
    const locations = new Set([...cells, ...inbound].map(({ locationKey }) => locationKey)).size;
    return {
      summary: { locations, ...stockTotals(cells, inbound, scope.now) },
      rows: rows.map((row) => ({ ...row, custodians: row.custodians.map(named) })),
      ...page,
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

/** One key for one place: the Digital Link of its GLN however it was written, else its identifier, else its name. */
const keyOf = (location: string): string => `coalesce(
  'https://id.gs1.org/414/' || coalesce(${location} ->> 'gln', substring(${location} ->> 'id' from '/414/(\\d{13})$')),
  ${location} ->> 'id',
  'name:' || (${location} ->> 'name') || coalesce(', ' || (${location} ->> 'country'), ''))`;
const SITE_KEY = `coalesce('https://id.gs1.org/414/' || w.site_gln, ${keyOf('w.site_location')}, 'site:' || w.site_id)`;
const SITE = `case when w.site_id is not null
  then coalesce(w.site_location, '{}') || jsonb_strip_nulls(jsonb_build_object('name', w.site_name, 'gln', w.site_gln)) end`;

/** Lots that are there: not containers, not used up, not retired. What lies in an offered container is on its way as well. */
const GOODS = `
  with recursive moving as (
    select l.token_id, l.pending_custodian from traceability.lot_v1 l
    where l.tenant_id = $1 and l.pending_custodian is not null and l.is_container
    union all
    select l.token_id, m.pending_custodian from moving m join traceability.lot_v1 l on l.tenant_id = $1 and l.container_token_id = m.token_id
  ), goods as (
    select l.token_id, l.custodian, coalesce(l.pending_custodian, m.pending_custodian) as pending, l.asset_type, l.asset_type_name, l.uom,
      l.status, l.remaining, l.remaining * l.unit_kg as mass_kg, l.recalled_at, l.expires_at, l.minted_at
    from traceability.lot_v1 l left join moving m on m.token_id = l.token_id
    where l.tenant_id = $1 and not l.is_container and not l.used_up and l.retired_at is null
      and ($3::timestamptz is null or l.minted_at >= $3) and ($4::timestamptz is null or l.minted_at < $4)
  )`;

const STOCK = `${GOODS}, placed as (
    select g.*, case when p.location is not null then ${keyOf('p.location')} else coalesce(${SITE_KEY}, 'unknown') end as location_key,
      coalesce(p.location, ${SITE}) as location
    from goods g
    left join traceability.lot_place_v1 p on p.tenant_id = $1 and p.token_id = g.token_id and ($5::text is null or p.org_id = $5)
    left join identity.wallet_v1 w on w.tenant_id = $1 and w.address = g.custodian
    where $2::text[] is null or g.custodian = any($2)
  )
  select coalesce(location_key, 'unknown') as "locationKey", max(location::text)::jsonb as location, custodian,
    asset_type as "assetType", max(asset_type_name) as "assetTypeName", uom, status,
    count(*) as lots, sum(remaining) as quantity, sum(mass_kg) as "massKg", count(*) filter (where mass_kg is null) as "unmeasuredLots",
    sum(mass_kg) filter (where pending is not null) as "inTransitOutKg", count(*) filter (where recalled_at is not null) as "recalledLots",
    count(*) filter (where expires_at <= now()) as "expiredLots", min(expires_at) as "earliestExpiry", min(minted_at) as oldest
  from placed group by 1, custodian, asset_type, uom, status
  order by 1, custodian collate "C", asset_type collate "C" nulls last, uom collate "C" nulls last, status`;

const INBOUND = `${GOODS}
  select coalesce(${SITE_KEY}, 'unknown') as "locationKey", max((${SITE})::text)::jsonb as location, g.pending as custodian,
    g.asset_type as "assetType", max(g.asset_type_name) as "assetTypeName", sum(g.mass_kg) as "inTransitInKg"
  from goods g left join identity.wallet_v1 w on w.tenant_id = $1 and w.address = g.pending
  where g.pending is not null and ($2::text[] is null or g.pending = any($2))
  group by 1, g.pending, g.asset_type order by 1, g.pending collate "C", g.asset_type collate "C" nulls last`;
