import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { escaped } from '#kernel';
import type PdfKit from 'pdfkit';
import type { PublicPassport } from '../composing/passport.js';
import { QUIET, type Run, qrCode, runsOf } from '../pages/qr.page.js';

/** Millimetres: 80 × 40, a common size of label printers. */
export const LABEL = { width: 80, height: 40, margin: 2 };
/** The quiet zone included. GS1 General Specifications §5.9: a module of at least 0.396 mm for what consumers scan. */
const CODE = 36;

interface Label {
  readonly link: string;
  /** Side of a module, and dark runs in modules from the corner of the code, its quiet zone included. */
  readonly module: number;
  readonly runs: readonly Run[];
  /** The product; `name` is shorter, and may be in letters that more printers have. */
  readonly title: string;
  readonly name: string;
  /** One below the other. */
  readonly lines: readonly LabelLine[];
}

/** How many lines of the title fit above so many other lines. */
const headingOf = (lines: readonly LabelLine[]): number => (lines.length > 5 ? 1 : lines.length > 4 ? 2 : 3);

interface LabelLine {
  /** Empty: the value continues the line above, in small print. */
  readonly name: string;
  readonly value: string;
}

/** What a label says, in every format. */
export function labelOf({ product, links }: PublicPassport): Label {
  const link = links.digitalLink ?? links.self;
  const { size, dark } = qrCode(link);
  const lines: [string, string | null][] = [
    ['GTIN', product.gtin],
    ['Lot', product.lot],
    ['Serial', product.serial],
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
  if (widthOf(name) + widthOf(value) <= 11.5) return [{ name, value }];
  return [{ name, value: '' }, ...brokenAt(value, 14, 4).map((part): LabelLine => ({ name: '', value: part }))];
}

const LETTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });
const lettersOf = (text: string): string[] => Array.from(LETTERS.segment(text), ({ segment }) => segment);

/** In em, of a bold sans serif: close enough for a label, whatever draws it. */
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

const LEFT = 40;
const HEADING = 3.4;
const BODY = 3.1;
const SMALL = 2.7;
/** A text that is written from right to left, by its first letter. */
const RIGHT_TO_LEFT = /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** In millimetres, black on white in every colour scheme. */
export function labelSvg({ link, module, runs, title, lines }: Label): string {
  const { width, height, margin } = LABEL;
  const code = runs
    .map(
      (run) =>
        `M${at(margin + run.x * module)} ${at(margin + run.y * module)}h${at(run.width * module)}v${at(module)}h-${at(run.width * module)}z`,
    )
    .join('');
  const heading = brokenAt(title, (width - LEFT - margin) / HEADING, headingOf(lines));
  const start = RIGHT_TO_LEFT.test(title) ? `x="${width - margin}" direction="rtl"` : `x="${LEFT}"`;
  let y = margin + 5;
  const texts: string[] = [];
  for (const line of heading) {
    texts.push(`<text ${start} y="${at(y)}" font-size="${HEADING}" font-weight="bold">${escaped(line)}</text>`);
    y += HEADING * 1.2;
  }
  y += 1.5;
  for (const line of lines) {
    texts.push(written(line, y));
    y += (line.name === '' ? SMALL : BODY) * 1.35;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}mm" height="${height}mm" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(`${title}, ${link}`)}"><rect width="${width}" height="${height}" fill="#fff"/><path d="${code}" fill="#000" shape-rendering="crispEdges"/><g font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif" fill="#000">${texts.join('')}</g></svg>`;
}

/** Coordinates are rounded to a tenth of a micrometre. */
const at = (value: number): string => String(Math.round(value * 10_000) / 10_000);

function written({ name, value }: LabelLine, y: number): string {
  const rest = value === '' ? '' : `<tspan font-weight="bold">${escaped(value)}</tspan>`;
  return `<text x="${LEFT}" y="${at(y)}" font-size="${name === '' ? SMALL : BODY}">${name === '' ? '' : `${escaped(name)}: `}${rest}</text>`;
}

const MM = 72 / 25.4;
const TEXT_LEFT = 40;
/** Scripts that the font has and that are written from left to right. Other titles are in the SVG alone: the program that prints it has the fonts. */
const DRAWN =
  /^(?![^]*[\p{Emoji_Presentation}\u3000-\u303F\uFF00-\uFFEF])[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Common}\p{Script=Inherited}]+$/u;

const load = createRequire(import.meta.url);
let fonts: { readonly plain: Buffer; readonly bold: Buffer } | null = null;
/** Half a megabyte each, read when the first label is drawn; of a font only the letters that are used go into a file. */
const fontsOnce = (): NonNullable<typeof fonts> =>
  (fonts ??= {
    plain: readFileSync(load.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf')),
    bold: readFileSync(load.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf')),
  });

/** Loaded when the first label is drawn, as the fonts are: it is large too. */
const pdfKit = (): typeof PdfKit => load('pdfkit') as typeof PdfKit;

/** One page of the label's size. @param madeAt of the file, so that the same label is the same file */
export function labelPdf({ link, module, runs, title, name: short, lines }: Label, madeAt: Date): Promise<Buffer> {
  const { width, height, margin } = LABEL;
  const { plain, bold } = fontsOnce();
  const info = { Title: title, Subject: link, CreationDate: madeAt, ModDate: madeAt };
  const page = new (pdfKit())({ size: [width * MM, height * MM], margin: 0, info });
  const done = new Promise<Buffer>((resolve, reject) => {
    const parts: Buffer[] = [];
    page.on('data', (part: Buffer) => parts.push(part));
    page.on('end', () => resolve(Buffer.concat(parts)));
    page.on('error', reject);
  });
  for (const { x, y, width: run } of runs)
    page.rect((margin + x * module) * MM, (margin + y * module) * MM, run * module * MM, module * MM);
  page.fill('#000');
  const room = { width: (width - TEXT_LEFT - margin) * MM };
  page.registerFont('plain', plain).registerFont('bold', bold);
  page.font('bold').fontSize(9.5);
  const heading = [title, short].find((text) => DRAWN.test(text)) ?? '';
  page.text(heading, TEXT_LEFT * MM, (margin + 2) * MM, { ...room, height: headingOf(lines) * 4 * MM, ellipsis: true });
  page.moveDown(0.3);
  for (const { name, value } of lines) {
    page.fontSize(name === '' ? 7 : 8.5);
    if (name !== '') page.font('plain').text(`${name}: `, { ...room, continued: value !== '' });
    if (value !== '') page.font('bold').text(value, room);
  }
  page.end();
  return done;
}
