import {
  BooleanField,
  IntegerField,
  JsonObjectField,
  NumberField,
  ObjectField,
  ObjectListField,
  StringField,
  StringListField,
} from '#http';
import { AsOfField, type AsOfQuery } from '../lots/as-of.dto.js';
import type { TreeFootprint } from '../contract/footprint.js';
import type { Basis, SourceRef, IndicatorFootprint } from './footprint.js';

/** Bounds of the walk upstream (docs/spec/api.md#lots-custody-recall). */
export class FootprintQuery implements AsOfQuery {
  @IntegerField({ description: 'Levels upstream', min: 1, max: 200, optional: true, default: 200 })
  maxDepth: number = 200;

  @IntegerField({ description: 'Lots upstream', min: 1, max: 20_000, optional: true, default: 20_000 })
  maxNodes: number = 20_000;

  @AsOfField()
  asOf?: string;
}

export class FootprintBasisView implements Basis {
  @NumberField({ description: 'Produced, in kilograms', nullable: true })
  massKg: number | null;

  @NumberField({ description: 'Left, in kilograms', nullable: true })
  remainingKg: number | null;

  @NumberField({ description: 'Produced, in `uom`', nullable: true })
  quantity: number | null;

  @NumberField({ description: 'Left, in `uom`', nullable: true })
  remaining: number | null;

  @StringField({ description: 'UNECE code of the unit', nullable: true })
  uom: string | null;
}

export class EventRefView implements SourceRef {
  @StringField({ description: 'The event', format: 'uuid' })
  eventId: string;

  @StringField({ description: 'Its process type', nullable: true })
  processType: string | null;
}

export class CoverageView {
  @IntegerField({ description: 'Events that declared the indicator, of those that should' })
  declared: number;

  @IntegerField({ description: 'Events that should: the map lists the indicator, or lots are made' })
  expected: number;

  @NumberField({ description: 'declared / expected, six decimals', nullable: true })
  events: number | null;

  @NumberField({ description: 'The same, weighed by the mass that ended in this lot', nullable: true })
  mass: number | null;
}

export class IndicatorView implements IndicatorFootprint {
  @StringField({ description: 'kgCO2e, m3, MJ or kg' })
  unit: string;

  @NumberField({ description: 'What belongs to the produced quantity', nullable: true })
  total: number | null;

  @NumberField({ description: 'What belongs to the remaining quantity', nullable: true })
  onHand: number | null;

  @NumberField({ description: '`total` by `basis.massKg`', nullable: true })
  perKg: number | null;

  @NumberField({ description: '`total` by `basis.quantity`', nullable: true })
  perUnit: number | null;

  @BooleanField({ description: 'Declarations are missing, the true figure is higher' })
  lowerBound: boolean;

  @ObjectField(() => CoverageView, { description: 'How much of it is declared' })
  coverage: CoverageView;

  @NumberField({ description: 'Percent of the impact that was measured or given by the supplier', nullable: true })
  primaryDataShare: number | null;

  @JsonObjectField({ description: 'Impact by process type' })
  byProcess: Readonly<Record<string, number>>;

  @JsonObjectField({ description: 'Impact by ISO 3166-1 country of the event, `unknown` where none is given' })
  byCountry: Readonly<Record<string, number>>;

  @ObjectListField(() => EventRefView, { description: 'Events that should have declared it and did not' })
  missing: readonly EventRefView[];

  @JsonObjectField({
    description: 'Carbon only: fossil, biogenic, landUseChange, and biogenicUptake, which is not in `total`',
    optional: true,
  })
  breakdown?: Readonly<Record<string, number | null>>;
}

export class IndicatorsView {
  @ObjectField(() => IndicatorView, { description: 'Climate change, kgCO2e, without biogenic uptake' })
  carbon: IndicatorView;

  @ObjectField(() => IndicatorView, { description: 'Water, m3' })
  water: IndicatorView;

  @ObjectField(() => IndicatorView, { description: 'Energy, MJ' })
  energy: IndicatorView;

  @ObjectField(() => IndicatorView, { description: 'Waste, kg' })
  waste: IndicatorView;
}

export class FootprintMethodView {
  @StringField({ description: 'Burdens are shared among outputs as each process of the map says' })
  allocation: string;

  @StringListField({ description: 'Assessment reports whose GWP values were used' })
  gwp: readonly string[];

  @StringListField({ description: 'Standards that the declarations name' })
  standards: readonly string[];

  @StringField({ description: 'How it was computed' })
  engine: string;
}

export class LeftOutView extends EventRefView {
  @NumberField({ description: 'kgCO2e', optional: true })
  carbon?: number;

  @NumberField({ description: 'm3', optional: true })
  water?: number;

  @NumberField({ description: 'MJ', optional: true })
  energy?: number;

  @NumberField({ description: 'kg', optional: true })
  waste?: number;
}

export class FootprintView {
  @IntegerField({ description: 'The lot' })
  tokenId: number;

  @StringField({ description: 'Its traceability lot code' })
  tlc: string;

  @ObjectField(() => FootprintBasisView, { description: 'What the figures are about' })
  basis: FootprintBasisView;

  @ObjectField(() => IndicatorsView, { description: 'The four indicators' })
  indicators: IndicatorsView;

  @ObjectField(() => FootprintMethodView, { description: 'How it was computed' })
  method: FootprintMethodView;

  @ObjectListField(() => LeftOutView, { description: 'Carried by inputs of a cradle-to-gate event, which has its upstream inside already' })
  excludedUpstream: readonly LeftOutView[];

  @ObjectListField(() => LeftOutView, { description: 'Declared, but no lot could take it' })
  unallocated: readonly LeftOutView[];

  @IntegerField({ description: 'Lots in the tree' })
  nodeCount: number;

  @BooleanField({ description: 'Always false: a tree beyond the bounds is refused' })
  truncated: boolean;

  @StringListField({ description: 'Always empty' })
  frontier: readonly string[];
}

export const footprintView = ({
  tokenId,
  tlc,
  basis,
  indicators,
  method,
  excludedUpstream,
  unallocated,
  nodeCount,
}: TreeFootprint): FootprintView => ({
  tokenId: Number(tokenId),
  tlc,
  basis,
  indicators,
  method,
  excludedUpstream,
  unallocated,
  nodeCount,
  truncated: false,
  frontier: [],
});
