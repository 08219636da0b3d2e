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
  /** What it is; `name` is shorter, and may be in letters that more printers have. */
  readonly title: string;
  readonly name: string;
  /** One below the other. */
  readonly lines: readonly LabelLine[];
}

/** Lines that there is room for above so many others. */
export const headingOf = (lines: readonly LabelLine[]): number => (lines.length > 5 ? 1 : lines.length > 4 ? 2 : 3);

export interface LabelLine {
  /** Empty: the value goes on from the line above, in small. */
  readonly name: string;
  readonly value: string;
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
    title: clean(product.description ?? product.name),
    name: clean(product.name),
    lines: lines.flatMap(([name, value]) => (value === null ? [] : linesOf(name, value))),
  };
}

/** Without what cannot be printed, or would turn the letters around it. */
const clean = (text: string): string => text.replaceAll(/[\p{Cc}\u202A-\u202E\u2066-\u2069\uFFFE\uFFFF]+/gu, ' ').trim();

/** A code that is too long for what is left of its line stands below its name. */
function linesOf(name: string, value: string): LabelLine[] {
  if (widthOf(name) + widthOf(value) <= 11.5) return [{ name, value }];
  return [{ name, value: '' }, ...brokenAt(value, 14, 4).map((part): LabelLine => ({ name: '', value: part }))];
}

const LETTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });
const lettersOf = (text: string): string[] => Array.from(LETTERS.segment(text), ({ segment }) => segment);

/** In em, of a bold sans serif: near enough for a label, on whatever draws it. */
const widthOf = (text: string): number => lettersOf(text).reduce((sum, letter) => sum + letterWidth(letter), 0);

function letterWidth(letter: string): number {
  if (
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303F\uFF01-\uFF60]/u.test(letter)
  )
    return 1;
  if (/^[MWmw@%]/.test(letter)) return 0.9;
  if (/^\p{Lu}/u.test(letter)) return 0.7;
  return /^[\s.,:;'|!()[\]/\\ijlIt-]/.test(letter) ? 0.34 : 0.57;
}

/** Breaks a text into lines of a width in em; the last one ends in an ellipsis where it did not fit. */
export function brokenAt(text: string, width: number, most: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).flatMap((long) => piecesOf(long, width))) {
    if (line !== '' && widthOf(`${line} ${word}`) > width) {
      lines.push(line);
      line = '';
    }
    line += (line === '' ? '' : ' ') + word;
  }
  if (line !== '') lines.push(line);
  if (lines.length <= most) return lines;
  const last = piecesOf(`${lines[most - 1]!} ${lines[most]!}`, width - 1)[0]!;
  return [...lines.slice(0, most - 1), `${last.trimEnd()}…`];
}

/** A word that is wider than the line, in parts that are not. */
function piecesOf(word: string, width: number): string[] {
  const pieces: string[] = [];
  let [piece, used] = ['', 0];
  for (const letter of lettersOf(word)) {
    const more = letterWidth(letter);
    if (piece !== '' && used + more > width) {
      pieces.push(piece);
      [piece, used] = ['', 0];
    }
    piece += letter;
    used += more;
  }
  return piece === '' ? pieces : [...pieces, piece];
}
