import { escaped } from '#kernel';
import type { PublicPassport } from '../composing/passport.js';
import { type LabelSymbol, qrSymbol } from '../pages/symbols.page.js';

/** In millimetres. A code is at most as large as its place, with its quiet zone, and a module at most `module`. */
interface Layout {
  readonly width: number;
  readonly height: number;
  readonly margin: number;
  /** Where texts begin. */
  readonly left: number;
  readonly code: { readonly x: number; readonly y: number; readonly width: number; readonly height: number; readonly module: number };
}

/** A common size of label printers. GS1 General Specifications §5.9: a module of at least 0.396 mm for what consumers scan. */
const SMALL_LABEL: Layout = { width: 80, height: 40, margin: 2, left: 40, code: { x: 2, y: 2, width: 36, height: 36, module: 2 } };
/** By code. A bar code is long: 32 mm high, as on logistic labels, and 0.25 mm a module at least, also with a lot number of 20 letters. */
export const LABELS: Readonly<Record<LabelSymbol['kind'], Layout>> = {
  qr: SMALL_LABEL,
  'gs1-datamatrix': { ...SMALL_LABEL, code: { x: 2, y: 2, width: 36, height: 29, module: 0.99 } },
  'gs1-128': { width: 105, height: 74, margin: 2, left: 6, code: { x: 2, y: 34, width: 101, height: 32, module: 0.66 } },
};

export interface Label {
  readonly link: string;
  readonly symbol: LabelSymbol;
  /** The product; `name` is shorter, and may be in letters that more printers have. */
  readonly title: string;
  readonly name: string;
  /** One below the other. */
  readonly lines: readonly LabelLine[];
}

/** How many lines of the title fit above so many other lines. */
export const headingOf = (lines: readonly LabelLine[]): number => (lines.length > 5 ? 1 : lines.length > 4 ? 2 : 3);

export interface LabelLine {
  /** Empty: the value continues the line above, in small print. */
  readonly name: string;
  readonly value: string;
}

/** Side of a module of the code, in millimetres. */
function moduleOf({ symbol }: Label): number {
  const { code } = LABELS[symbol.kind];
  const fits = symbol.height === 1 ? code.width / symbol.width : Math.min(code.width / symbol.width, code.height / symbol.height);
  return Math.min(code.module, fits);
}

/** Rectangles of the code, in millimetres from the corner of the label. */
export function barsOf(label: Label): { readonly x: number; readonly y: number; readonly width: number; readonly height: number }[] {
  const { code } = LABELS[label.symbol.kind];
  const module = moduleOf(label);
  const isBarCode = label.symbol.height === 1;
  const height = isBarCode ? code.height : module;
  const left = code.x + (isBarCode ? (code.width - label.symbol.width * module) / 2 : 0);
  return label.symbol.runs.map((run) => ({ x: left + run.x * module, y: code.y + run.y * module, width: run.width * module, height }));
}

/** Height of human-readable text; smaller where a line has no room. */
const READABLE = 2.6;

/** Human-readable text below the code (GS1 General Specifications §4.14): a line for each element, or one below a bar code. In millimetres. */
export function readableLines(
  label: Label,
): { readonly text: string; readonly x: number; readonly baseline: number; readonly size: number }[] {
  const { symbol } = label;
  const { code, width, margin } = LABELS[symbol.kind];
  const isBarCode = symbol.height === 1;
  const lines = isBarCode && symbol.text.length > 0 ? [symbol.text.join('')] : symbol.text;
  const below = code.y + (isBarCode ? code.height : symbol.height * moduleOf(label)) + READABLE * 1.2;
  const room = isBarCode ? width - 2 * margin : code.width;
  return lines.map((text, i) => {
    const em = widthOf(text) * REGULAR;
    const size = Math.min(READABLE, room / em);
    return { text, x: isBarCode ? (width - em * size) / 2 : code.x, baseline: below + i * READABLE * 1.2, size };
  });
}

/** What a label says, in every format. @param symbol its code; a QR code of its link by default */
export function labelOf({ product, links }: PublicPassport, symbol: LabelSymbol | null = null): Label {
  const link = links.digitalLink ?? links.self;
  const lines: [string, string | null][] = [
    ['GTIN', product.gtin],
    ['Lot', product.lot],
    ['Serial', product.serial],
    ['Produced', product.producedOn],
    ['Best before', product.bestBefore],
  ];
  return {
    link,
    symbol: symbol ?? qrSymbol(link),
    title: clean(product.description ?? product.name),
    name: clean(product.name),
    lines: lines.flatMap(([name, value]) => (value === null ? [] : linesOf(name, value))),
  };
}

/** Letters of a title: more than three lines have. A tenant's text may have a quarter of a million. */
const MAX_LETTERS = 200;
/** Code points of a letter: a picture of two people has 10, and any number of marks may follow a letter. */
const MAX_POINTS = 16;

/** The first letters, without what cannot be printed, or would change the direction of the letters around it. */
function clean(text: string): string {
  const start = text.slice(0, MAX_LETTERS * MAX_POINTS * 2);
  const printed = start.replaceAll(/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069\uFFFE\uFFFF]+/gu, ' ').trim();
  const letters: string[] = [];
  for (const { segment } of LETTERS.segment(printed)) {
    if (letters.length === MAX_LETTERS) break;
    letters.push(Array.from(segment).slice(0, MAX_POINTS).join(''));
  }
  return letters.join('').trimEnd();
}

/** A code that is too long for the rest of its line goes below its name. */
function linesOf(name: string, value: string): LabelLine[] {
  if (lineWidth({ name, value }) <= 15.3) return [{ name, value }];
  return [{ name, value: '' }, ...brokenAt(value, 15, 4).map((part): LabelLine => ({ name: '', value: part }))];
}

const lineWidth = ({ name, value }: LabelLine): number => (name === '' ? 0 : widthOf(`${name}: `) * REGULAR) + widthOf(value);

/** Of the letters of a line, in millimetres; smaller where it has no room. */
export function lineSize({ symbol }: Label, line: LabelLine): number {
  const { width, left, margin } = LABELS[symbol.kind];
  return Math.min(line.name === '' ? SMALL : BODY, (width - left - margin) / lineWidth(line));
}

const LETTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });
const lettersOf = (text: string): string[] => Array.from(LETTERS.segment(text), ({ segment }) => segment);

/** In em, of the widest bold sans serif that a program may draw the label with (DejaVu Sans, Verdana). */
const widthOf = (text: string): number => lettersOf(text).reduce((sum, letter) => sum + letterWidth(letter), 0);
/** In relation to bold letters. */
const REGULAR = 0.92;

/** The first that fits a letter. */
const LETTER_WIDTHS: readonly (readonly [RegExp, number])[] = [
  [/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303F\uFF01-\uFF60]/u, 1],
  [/^[MWm@%]/, 1.11],
  [/^[IJ\s.,:;'|!/\\ijl-]/, 0.42],
  [/^["()[\]frt{}]/, 0.53],
  [/^[\p{Lu}w&#+=<>~^]/u, 0.86],
];

const letterWidth = (letter: string): number => LETTER_WIDTHS.find(([kind]) => kind.test(letter))?.[1] ?? 0.72;

/** Breaks a text into lines of a width in em; the last one ends in an ellipsis where it did not fit. */
function brokenAt(text: string, width: number, most: number): string[] {
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

/** A word that is wider than the line, in pieces that are not. */
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

const HEADING = 3.4;
const BODY = 3.1;
const SMALL = 2.7;
/** A text that is written from right to left, by its first letter. */
const RIGHT_TO_LEFT = /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** In millimetres, black on white in every colour scheme. */
export function labelSvg(label: Label): string {
  const { link, symbol, title, lines } = label;
  const { width, height, margin, left } = LABELS[symbol.kind];
  const code = barsOf(label)
    .map((bar) => `M${at(bar.x)} ${at(bar.y)}h${at(bar.width)}v${at(bar.height)}h-${at(bar.width)}z`)
    .join('');
  const heading = brokenAt(title, (width - left - margin) / HEADING, headingOf(lines));
  const start = RIGHT_TO_LEFT.test(title) ? `x="${width - margin}" direction="rtl"` : `x="${left}"`;
  let y = margin + 5;
  const texts: string[] = [];
  for (const line of heading) {
    texts.push(`<text ${start} y="${at(y)}" font-size="${HEADING}" font-weight="bold">${escaped(line)}</text>`);
    y += HEADING * 1.2;
  }
  y += 1.5;
  for (const line of lines) {
    texts.push(written(label, line, y));
    y += (line.name === '' ? SMALL : BODY) * 1.35;
  }
  for (const { text, x, baseline, size } of readableLines(label))
    texts.push(`<text x="${at(x)}" y="${at(baseline)}" font-size="${at(size)}">${escaped(text)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}mm" height="${height}mm" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(`${title}, ${link}`)}"><rect width="${width}" height="${height}" fill="#fff"/><path d="${code}" fill="#000" shape-rendering="crispEdges"/><g font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif" fill="#000">${texts.join('')}</g></svg>`;
}

/** Coordinates are rounded to a tenth of a micrometre. */
const at = (value: number): string => String(Math.round(value * 10_000) / 10_000);

function written(label: Label, line: LabelLine, y: number): string {
  const { name, value } = line;
  const { left } = LABELS[label.symbol.kind];
  const rest = value === '' ? '' : `<tspan font-weight="bold">${escaped(value)}</tspan>`;
  return `<text x="${left}" y="${at(y)}" font-size="${at(lineSize(label, line))}">${name === '' ? '' : `${escaped(name)}: `}${rest}</text>`;
}
