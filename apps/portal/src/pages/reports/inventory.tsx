import type { InventoryReportView, StockPlaceView } from '#client';
import { StackedBars } from '../../charts/stacked-bars';
import { Bars } from '../../parts/bars';
import { Empty, Facts, Section, Table } from '../../parts/basics';
import { showDay, showNumber, showQuantity, words } from '../../state/format';
import { Report } from './report';
import { t } from '../../state/language';

export default function InventoryPage() {
  return (
    <Report operation="GET /api/v1/reports/inventory" about={t('Current stock of lots created in the period.')}>
      {(report) => <Inventory of={report} />}
    </Report>
  );
}

const quantities = (of: Readonly<Record<string, unknown>>): string =>
  Object.entries(of)
    .map(([uom, value]) => showQuantity(value as number, uom))
    .join(', ') || '–';
const kg = (value: number | null): string => (value === null ? 'unknown' : `${showNumber(value)} kg`);
const nameOf = ({ location, locationKey, custodians }: StockPlaceView): string => {
  const { name, city, country } = (location ?? {}) as { readonly name?: string; readonly city?: string; readonly country?: string };
  return [name ?? custodians[0]?.label ?? locationKey, city, country].filter(Boolean).join(', ');
};

function Inventory({ of: { summary, locations } }: { readonly of: InventoryReportView }) {
  if (locations.length === 0) return <Empty>{t('No stock. Record a creation event to create the first lot.')}</Empty>;
  const massOf = (places: readonly StockPlaceView[]): Record<string, number> => {
    const masses: Record<string, number> = {};
    for (const { assetTypeName, assetType, massKg } of places.flatMap(({ items }) => items)) {
      const product = assetTypeName ?? assetType ?? 'unknown';
      masses[product] = (masses[product] ?? 0) + (massKg ?? 0);
    }
    return masses;
  };
  return (
    <>
      <Section title={t('Summary')}>
        <Facts
          of={[
            [t('Lots'), showNumber(summary.lots)],
            [t('Places'), showNumber(summary.locations)],
            [t('Quantity'), quantities(summary.quantity)],
            [t('Mass'), kg(summary.massKg)],
            [t('Lots without a known mass'), showNumber(summary.unmeasuredLots)],
            [t('Recalled'), showNumber(summary.recalledLots)],
            [t('Expired'), showNumber(summary.expiredLots)],
            [t('Next expiry'), showDay(summary.earliestExpiry)],
          ]}
        />
        <div class="charts">
          <Bars caption={t('Mass by product, places below')} unit="kg" values={massOf(locations)} name={(product) => product} />
          <Bars caption={t('Lots by status')} unit="" values={summary.byStatus as Record<string, number>} />
        </div>
      </Section>
      <ByState of={locations} />
      {locations.map((place) => (
        <Section key={place.locationKey} title={nameOf(place)}>
          <p class="hint">{t('Held by {companies}', { companies: place.custodians.map(({ label }) => label).join(', ') })}</p>
          <Table
            caption={t('Stock at {place}', { place: nameOf(place) })}
            rows={place.items}
            keyOf={({ assetType }) => assetType ?? ''}
            columns={[
              { name: t('Product'), show: ({ assetTypeName, assetType }) => assetTypeName ?? words(assetType) },
              { name: t('Lots'), number: true, show: ({ lots }) => showNumber(lots) },
              { name: t('Quantity'), number: true, show: ({ quantity }) => quantities(quantity) },
              { name: t('Mass'), number: true, show: ({ massKg }) => kg(massKg) },
              { name: t('Recalled'), number: true, show: ({ recalledLots }) => showNumber(recalledLots) },
              { name: t('Expired'), number: true, show: ({ expiredLots }) => showNumber(expiredLots) },
              { name: t('Next expiry'), show: ({ earliestExpiry }) => showDay(earliestExpiry) },
            ]}
          />
        </Section>
      ))}
    </>
  );
}

/** The commonest first; others follow as they come. */
const STATES = ['active', 'in_transit', 'aggregated', 'on_hold', 'recalled', 'expired'];

function ByState({ of }: { readonly of: readonly StockPlaceView[] }) {
  const masses = of.map(({ totals }) => totals.massByStatus as Readonly<Record<string, number>>);
  const known = [...new Set([...STATES, ...masses.flatMap(Object.keys)])].filter((state) => masses.some((mass) => (mass[state] ?? 0) > 0));
  if (known.length === 0) return null;
  return (
    <Section title={t('By place and state')}>
      <StackedBars
        caption={t('Mass in stock at the places below, by state')}
        kinds={known}
        nameOf={words}
        rows={of.map((place, at) => ({ key: place.locationKey, name: nameOf(place), values: masses[at]! }))}
        amountOf={kg}
      />
    </Section>
  );
}
