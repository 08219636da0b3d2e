import { type Box, type Ring, boxOf, clipped, countryOutlines, landOutlines } from '#geography';
import { Html, html, theirs } from '#kernel';
import type { PublicPassport } from '../composing/passport.js';
import type { Wording } from '../pages/wording.page.js';
import { type PublicPlace, placesOf } from './places.rules.js';

/** Units of the drawing. */
const WIDTH = 480;
const HEIGHT = 240;
const MARK = 10;
/** Degrees of latitude on a map at least: nearer, the coast of so coarse a map says nothing. */
const LEAST_DEGREES = 24;
const WORLD: Box = { west: -180, south: -60, east: 180, north: 84 };
/** Outlines go on beyond the 180th meridian, and so may a map. */
const COPIES = [-360, 0, 360];

/** A map and a list of the places that are public; nothing where there are none. */
export function placesCard(passport: PublicPassport, words: Wording): Html | null {
  const places = placesOf(passport);
  if (places.length === 0) return null;
  const note = places.every(({ isExact }) => isExact) ? null : html`<p class="soft">${words.text('mapNote')}</p>`;
  return html`<section class="wide"><h2>${words.text('places')}</h2>${new Html(mapSvg(places, words.text('mapOf')))}<ol class="places">${places.map((place) => placeItem(place, words))}</ol>${note}</section>`;
}

function placeItem({ processes, region, country, at, isExact }: PublicPlace, words: Wording): Html {
  const [longitude, latitude] = at;
  const named = [...(region === null ? [] : [region]), ...(country === null ? [] : [words.country(country)])].join(', ');
  const degrees = isExact ? `${words.degrees(latitude)}, ${words.degrees(longitude)}` : null;
  return html`<li><b>${theirs(named === '' ? (degrees ?? '') : named)}</b>${named === '' || degrees === null ? null : html` <span class="soft">${degrees}</span>`}<br>${theirs(processes.join(', '))}</li>`;
}

/** Degrees, and where they are on the drawing. */
class Frame {
  readonly box: Box;
  readonly height: number;
  private readonly across: number;
  private readonly down: number;

  /** @param around what is shown at least */
  constructor(around: Box) {
    const middle = { x: (around.west + around.east) / 2, y: (around.south + around.north) / 2 };
    // A degree of longitude is as long as one of latitude in the middle of the map.
    const shrink = Math.max(0.3, Math.cos((middle.y * Math.PI) / 180));
    const [wide, high] = [(around.east - around.west) * 1.4, (around.north - around.south) * 1.4];
    const tall = Math.max(LEAST_DEGREES, high, (wide * shrink * HEIGHT) / WIDTH) / 2;
    const broad = (tall * WIDTH) / HEIGHT / shrink;
    const isWorld = broad > 180 || tall > 72;
    this.box = isWorld ? WORLD : { west: middle.x - broad, east: middle.x + broad, south: middle.y - tall, north: middle.y + tall };
    this.across = WIDTH / (this.box.east - this.box.west);
    this.down = isWorld ? this.across : HEIGHT / (2 * tall);
    this.height = Math.round((this.box.north - this.box.south) * this.down);
  }

  x = (longitude: number): number => Math.round((longitude - this.box.west) * this.across);
  y = (latitude: number): number => Math.round((this.box.north - latitude) * this.down);

  /** `d` of a path over rings, as far as they are on the map and large enough to be seen. */
  path(rings: readonly Ring[]): string {
    return rings.flatMap((ring) => COPIES.map((by) => this.ring(ring.map(([longitude, latitude]) => [longitude + by, latitude])))).join('');
  }

  private ring(ring: Ring): string {
    const points = clipped(ring, this.box).map(([longitude, latitude]) => [this.x(longitude), this.y(latitude)] as const);
    const distinct = points.filter(([x, y], i) => i === 0 || x !== points[i - 1]![0] || y !== points[i - 1]![1]);
    if (distinct.length < 3) return '';
    const steps = distinct.slice(1).map(([x, y], i) => `${x - distinct[i]![0]} ${y - distinct[i]![1]}`);
    return `M${distinct[0]!.join(' ')}l${steps.join(' ').replaceAll(' -', '-')}z`;
  }
}

/** Marks side by side where they would hide each other. */
function marksOf(places: readonly PublicPlace[], frame: Frame): string {
  const drawn: { x: number; y: number }[] = [];
  return places
    .map(({ at: [longitude, latitude] }, i) => {
      const mark = { x: frame.x(longitude), y: frame.y(latitude) };
      while (drawn.some(({ x, y }) => Math.hypot(x - mark.x, y - mark.y) < 2 * MARK)) mark.x += 2 * MARK;
      drawn.push(mark);
      return `<circle cx="${mark.x}" cy="${mark.y}" r="${MARK}"/><text x="${mark.x}" y="${mark.y}">${i + 1}</text>`;
    })
    .join('');
}

function mapSvg(places: readonly PublicPlace[], label: string): string {
  const countries = [...new Set(places.flatMap(({ country }) => country ?? []))].map(countryOutlines);
  const whole = places.filter(({ isExact }) => !isExact).flatMap(({ at, country }) => [at, ...largestOf(countryOutlines(country ?? ''))]);
  const frame = new Frame(boxOf([...places.map(({ at }) => at), ...whole]));
  const shaded = countries.map((rings) => frame.path(rings)).join('');
  return `<svg class="map" viewBox="0 0 ${WIDTH} ${frame.height}" role="img" aria-label="${label}"><path class="grid" d="${grid(frame)}"/><path class="land" fill-rule="evenodd" d="${frame.path(landOutlines())}"/><path class="country" fill-rule="evenodd" d="${shaded}"/>${marksOf(places, frame)}</svg>`;
}

/** A country with parts overseas is shown by its largest one. */
function largestOf(rings: readonly Ring[]): Ring {
  const sizes = rings
    .map((ring) => ({ ring, box: boxOf(ring) }))
    .map(({ ring, box }) => ({ ring, size: (box.east - box.west) * (box.north - box.south) }));
  return sizes.toSorted((a, b) => b.size - a.size)[0]?.ring ?? [];
}

/** Meridians and parallels. */
function grid({ box, height, x, y }: Frame): string {
  const step = box.north - box.south > 60 ? 30 : 10;
  const between = (from: number, to: number): number[] => {
    const first = Math.ceil(from / step) * step;
    return Array.from({ length: Math.max(0, Math.floor((to - first) / step) + 1) }, (_, i) => first + i * step);
  };
  return [
    ...between(box.west, box.east).map((one) => `M${x(one)} 0V${height}`),
    ...between(box.south, box.north).map((one) => `M0 ${y(one)}H${WIDTH}`),
  ].join('');
}
