import { UNITS, showDay, showTime, words } from '../state/format.js';
import { showExact } from '../state/numbers.js';
import { countryName } from './countries.js';
import { unitOf } from './words.js';
import { t, translated } from '../state/language.js';

export interface Amount {
  readonly value?: number | string;
  readonly uom?: string;
}

export const amountOf = ({ value, uom = '' }: Amount): string =>
  `${typeof value === 'number' ? showExact(value) : (value ?? '?')} ${translated(UNITS[uom] ?? uom)}`;

/** One value in words. @param key the name of its field */
export function valueOf(value: unknown, key: string): string {
  if (typeof value === 'number') return [showExact(value), unitOf(key)].filter(Boolean).join(' ');
  if (typeof value === 'boolean') return t(value ? 'Yes' : 'No');
  if (typeof value !== 'string') return brief(value);
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return showDay(value);
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return showTime(value);
  return /^([a-z]+(_[a-z]+)+|[A-Z]+(_[A-Z]+)+)$/.test(value) ? words(value) : value;
}

/** What tells people nothing: it is in the evidence of the event. */
const TECHNICAL = new Set(['sha256', 'cid', 'mediaType', 'visibility']);

/** A part in one line: a quantity as such, a position as its coordinates, anything else as its values. */
export function brief(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => brief(item)).join('; ');
  if (typeof value !== 'object' || value === null) return valueOf(value, '');
  const { type, coordinates, ...rest } = value as Readonly<Record<string, unknown>>;
  if (Array.isArray(coordinates))
    return type === 'Polygon'
      ? t('area with {count} corners', { count: (coordinates[0] as unknown[]).length - 1 })
      : latitudeFirst(coordinates)
          .map((one) => showExact(Number(one)))
          .join(', ');
  if ('value' in rest && 'uom' in rest) return amountOf(rest);
  if ('name' in rest && 'country' in rest) return placeOf(rest as PlaceParts);
  const all = type === undefined ? rest : { type, ...rest };
  return Object.entries(all)
    .filter(([key, part]) => !TECHNICAL.has(key) && part !== undefined && part !== null && part !== '')
    .map(([key, part]) => (typeof part === 'object' ? brief(part) : valueOf(part, key)))
    .join(', ');
}

/** As people say a position, and as maps show it; GeoJSON has the longitude first. */
const latitudeFirst = ([longitude, latitude, ...height]: readonly unknown[]): readonly unknown[] => [latitude, longitude, ...height];

interface PlaceParts {
  readonly [part: string]: unknown;
  readonly name: string;
  readonly country: string;
}

/** A place as on an envelope, with what tells it from others. Its address on the web says nothing that these do not. */
function placeOf({ name, street, postalCode, city, region, country, gln, phone, geo }: PlaceParts): string {
  const town = [postalCode, city].filter(Boolean).join(' ');
  const all = [name, street, town, region, countryName(country) ?? country, gln && `GLN ${valueOf(gln, 'gln')}`, phone, geo && brief(geo)];
  return all.filter(Boolean).join(', ');
}
