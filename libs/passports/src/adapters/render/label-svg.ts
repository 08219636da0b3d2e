import { escaped } from './html.js';
import { LABEL, type Label, type LabelLine, brokenAt, headingOf } from './label.js';

const LEFT = 40;
const HEADING = 3.4;
const BODY = 3.1;
const SMALL = 2.7;
/** What is written from right to left, by its first letter. */
const RIGHT_TO_LEFT = /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** In millimetres, black on white whatever looks at it. */
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

/** A millionth of a millimetre is nobody's business. */
const at = (value: number): string => String(Math.round(value * 10_000) / 10_000);

function written({ name, value }: LabelLine, y: number): string {
  const rest = value === '' ? '' : `<tspan font-weight="bold">${escaped(value)}</tspan>`;
  return `<text x="${LEFT}" y="${at(y)}" font-size="${name === '' ? SMALL : BODY}">${name === '' ? '' : `${escaped(name)}: `}${rest}</text>`;
}
