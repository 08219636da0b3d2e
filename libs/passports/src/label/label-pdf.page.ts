import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type PdfKit from 'pdfkit';
import { LABELS, type Label, barsOf, headingOf, lineSize, readableLines } from './label.page.js';

const MM = 72 / 25.4;
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

/** A4, in millimetres. */
const SHEET = { width: 210, height: 297 };

/** Where labels go on a page: as many as there is room for on a sheet, or one on a page of its size. */
function placesOf(
  { symbol }: Label,
  onSheet: boolean,
): { readonly page: readonly [number, number]; readonly corners: readonly (readonly [number, number])[] } {
  const { width, height } = LABELS[symbol.kind];
  if (!onSheet) return { page: [width, height], corners: [[0, 0]] };
  const [columns, rows] = [Math.floor(SHEET.width / width), Math.floor(SHEET.height / height)];
  const [left, top] = [(SHEET.width - columns * width) / 2, (SHEET.height - rows * height) / 2];
  const corners = Array.from(
    { length: columns * rows },
    (_, i) => [left + (i % columns) * width, top + Math.floor(i / columns) * height] as const,
  );
  return { page: [SHEET.width, SHEET.height], corners };
}

/** @param madeAt of the file, so that the same label is the same file @param onSheet an A4 sheet full of it; otherwise a page of its size */
export function labelPdf(label: Label, madeAt: Date, onSheet = false): Promise<Buffer> {
  const { plain, bold } = fontsOnce();
  const { page: size, corners } = placesOf(label, onSheet);
  const info = { Title: label.title, Subject: label.link, CreationDate: madeAt, ModDate: madeAt };
  const page = new (pdfKit())({ size: size.map((side) => side * MM) as [number, number], margin: 0, info });
  const done = new Promise<Buffer>((resolve, reject) => {
    const parts: Buffer[] = [];
    page.on('data', (part: Buffer) => parts.push(part));
    page.on('end', () => resolve(Buffer.concat(parts)));
    page.on('error', reject);
  });
  page.registerFont('plain', plain).registerFont('bold', bold);
  for (const [x, y] of corners) {
    page.save().translate(x * MM, y * MM);
    if (onSheet) cuttingLines(page, label);
    draw(page, label);
    page.restore();
  }
  page.end();
  return done;
}

/** Thin and grey: on paper without labels they show where to cut, and no reader takes them for bars. */
function cuttingLines(page: InstanceType<typeof PdfKit>, { symbol }: Label): void {
  const { width, height } = LABELS[symbol.kind];
  page
    .lineWidth(0.1 * MM)
    .rect(0, 0, width * MM, height * MM)
    .stroke('#bbb');
}

function draw(page: InstanceType<typeof PdfKit>, label: Label): void {
  const { symbol, title, name: short, lines } = label;
  const { width, margin, left } = LABELS[symbol.kind];
  for (const bar of barsOf(label)) page.rect(bar.x * MM, bar.y * MM, bar.width * MM, bar.height * MM);
  page.fill('#000');
  const room = { width: (width - left - margin) * MM };
  page.font('bold').fontSize(9.5);
  const heading = [title, short].find((text) => DRAWN.test(text)) ?? '';
  page.text(heading, left * MM, (margin + 2) * MM, { ...room, height: headingOf(lines) * 4 * MM, ellipsis: true });
  page.moveDown(0.3);
  for (const line of lines) {
    const { name, value } = line;
    page.fontSize(Math.min(name === '' ? 7 : 8.5, lineSize(label, line) * MM));
    if (name !== '') page.font('plain').text(`${name}: `, { ...room, continued: value !== '' });
    if (value !== '') page.font('bold').text(value, room);
  }
  page.font('plain');
  for (const { text, x, baseline, size } of readableLines(label))
    page.fontSize(size * MM).text(text, x * MM, baseline * MM, { lineBreak: false, baseline: 'alphabetic' });
}
