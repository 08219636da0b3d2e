import type { PublicPassport } from '../../domain/passport.js';
import { type Run, QUIET, qrCode, runsOf } from './qr.js';

/** Millimetres: 80 × 40, what label printers of the trade take. */
export const LABEL = { width: 80, height: 40, margin: 2 };
/** The quiet zone included. GS1 General Specifications §5.9: a module of at least 0.396 mm for what consumers scan. */
const CODE = 36;

export interface Label {
  readonly link: string;
  /** Side of a module, and dark runs in modules from the corner of the code, its quiet zone included. */
  readonly module: number;
  readonly runs: readonly Run[];
  readonly title: string;
  /** Name and value, one below the other; a line without a name goes on with the value above. */
  readonly lines: readonly (readonly [string, string])[];
}

/** What a print label says, whatever it is drawn in. */
export function labelOf({ product, links }: PublicPassport): Label {
  const link = links.digitalLink ?? links.self;
  const { size, dark } = qrCode(link);
  const lines: [string, string | null][] = [
    ['GTIN', product.gtin],
    ['Lot', product.lot],
    ['Produced', product.producedOn],
    ['Best before', product.bestBefore],
  ];
  return {
    link,
    module: CODE / (size + 2 * QUIET),
    runs: runsOf(dark).map(({ x, y, width }) => ({ x: x + QUIET, y: y + QUIET, width })),
    title: product.description ?? product.name,
    lines: lines.flatMap(([name, value]) => (value === null ? [] : linesOf(name, value))),
  };
}

/** A code that is too long for what is left of its line stands below its name. */
function linesOf(name: string, value: string): [string, string][] {
  if (name.length + value.length <= 24) return [[name, value]];
  return [[name, ''], ...brokenAt(value, 19, 4).map((part): [string, string] => ['', part])];
}

/** Breaks a text into lines of so many characters; the last one ends in an ellipsis where it did not fit. */
export function brokenAt(text: string, characters: number, most: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).flatMap((long) => long.match(new RegExp(`.{1,${characters}}`, 'gu')) ?? [])) {
    if (line !== '' && line.length + 1 + word.length > characters) {
      lines.push(line);
      line = '';
    }
    line += (line === '' ? '' : ' ') + word;
  }
  if (line !== '') lines.push(line);
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), `${lines[most - 1]!.slice(0, characters - 1)}…`];
}
