import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import PdfDocument from 'pdfkit';
import { LABEL, type Label } from './label.js';

const MM = 72 / 25.4;
const LEFT = 40;

const load = createRequire(import.meta.url);
let fonts: { readonly plain: Buffer; readonly bold: Buffer } | null = null;
/** Half a megabyte each, read when the first label is drawn; of a font only the letters that are used go into a file. */
const fontsOnce = (): NonNullable<typeof fonts> =>
  (fonts ??= {
    plain: readFileSync(load.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf')),
    bold: readFileSync(load.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf')),
  });

/** One page of the label's size. @param at of the file, so that the same label is the same file */
export function labelPdf({ link, module, runs, title, lines }: Label, at: Date): Promise<Buffer> {
  const { width, height, margin } = LABEL;
  const { plain, bold } = fontsOnce();
  const info = { Title: title, Subject: link, CreationDate: at, ModDate: at };
  const page = new PdfDocument({ size: [width * MM, height * MM], margin: 0, info });
  const done = new Promise<Buffer>((resolve, reject) => {
    const parts: Buffer[] = [];
    page.on('data', (part: Buffer) => parts.push(part));
    page.on('end', () => resolve(Buffer.concat(parts)));
    page.on('error', reject);
  });
  for (const { x, y, width: run } of runs)
    page.rect((margin + x * module) * MM, (margin + y * module) * MM, run * module * MM, module * MM);
  page.fill('#000');
  const room = { width: (width - LEFT - margin) * MM };
  page.registerFont('plain', plain).registerFont('bold', bold);
  page.font('bold').fontSize(9.5);
  page.text(title, LEFT * MM, (margin + 2) * MM, { ...room, height: (lines.length > 5 ? 4 : 12) * MM, ellipsis: true });
  page.fontSize(8.5).moveDown(0.3);
  for (const [name, value] of lines) {
    if (name !== '') page.font('plain').text(`${name}: `, { ...room, continued: value !== '' });
    if (value !== '') page.font('bold').text(value, room);
  }
  page.end();
  return done;
}
