import { BooleanField, EnumField, IntegerField, JsonListField, JsonObjectField, NumberField, StringField, StringListField } from '#http';
import { PLACE_KINDS, type PlaceKind } from './places.rules.js';

export class PlaceView {
  @StringField({
    description: 'GS1 Digital Link of the GLN, another identifier, or the name; a plot has a digest of what was recorded of it',
  })
  placeKey: string;

  @EnumField(PLACE_KINDS, { description: 'A site of an organisation, a plot of land, or another place that events state' })
  kind: PlaceKind;

  @StringField({ description: 'Name, or id of a plot', nullable: true })
  name: string | null;

  @StringField({ description: 'ISO 3166-1', nullable: true })
  country: string | null;

  @JsonListField({
    description: 'Longitude and latitude; the middle of the country where only that is known; null where nothing is',
    items: { type: 'number' },
    nullable: true,
  })
  position: readonly [number, number] | null;

  @BooleanField({ description: 'Whether the position was recorded; false for the middle of a country' })
  exact: boolean;

  @JsonObjectField({ description: 'GeoJSON of a plot, as it was recorded, if it has at most 1000 positions', nullable: true })
  geometry: Readonly<Record<string, unknown>> | null;

  @NumberField({ description: 'Declared area of a plot, ha', nullable: true })
  areaHa: number | null;

  @StringListField({ description: 'Names of the organisations whose site it is, or that recorded its events' })
  organisations: readonly string[];

  @StringListField({ description: 'Process types of its events' })
  processTypes: readonly string[];

  @IntegerField({ description: 'Events of the period that state it' })
  events: number;

  @StringField({ description: 'Earliest of its events', format: 'date-time', nullable: true })
  firstAt: string | null;

  @StringField({ description: 'Latest of its events', format: 'date-time', nullable: true })
  lastAt: string | null;
}

export class PlacesSummaryView {
  @IntegerField({ description: 'Sites' })
  sites: number;

  @IntegerField({ description: 'Plots of land' })
  plots: number;

  @IntegerField({ description: 'Other places' })
  others: number;

  @IntegerField({ description: 'Places without a position' })
  withoutPosition: number;

  @IntegerField({ description: 'Events that were read: the newest of the period' })
  eventsRead: number;

  @BooleanField({ description: 'There are older events, or more places, that were not read: choose a shorter period' })
  incomplete: boolean;
}
