import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import PdfDocument from 'pdfkit';
import { LABEL, type Label, headingOf } from './label.js';

const MM = 72 / 25.4;
const LEFT = 40;
/** Scripts that the font has and that are written from left to right. Another title is left to the SVG, which whatever prints it draws. */
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

/** One page of the label's size. @param at of the file, so that the same label is the same file */
export function labelPdf({ link, module, runs, title, name: short, lines }: Label, at: Date): Promise<Buffer> {
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
  const heading = [title, short].find((text) => DRAWN.test(text)) ?? '';
  page.text(heading, LEFT * MM, (margin + 2) * MM, { ...room, height: headingOf(lines) * 4 * MM, ellipsis: true });
  page.moveDown(0.3);
  for (const { name, value } of lines) {
    page.fontSize(name === '' ? 7 : 8.5);
    if (name !== '') page.font('plain').text(`${name}: `, { ...room, continued: value !== '' });
    if (value !== '') page.font('bold').text(value, room);
  }
  page.end();
  return done;
}
