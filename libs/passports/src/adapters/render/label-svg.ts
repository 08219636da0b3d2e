import { escaped } from './html.js';
import { LABEL, type Label, brokenAt } from './label.js';

const LEFT = 40;
const BODY = 3.1;

/** In millimetres, black on white whatever looks at it. */
export function labelSvg({ link, module, runs, title, lines }: Label): string {
  const { width, height, margin } = LABEL;
  const code = runs
    .map(
      (run) =>
        `M${at(margin + run.x * module)} ${at(margin + run.y * module)}h${at(run.width * module)}v${at(module)}h-${at(run.width * module)}z`,
    )
    .join('');
  const heading = brokenAt(title, 20, lines.length > 5 ? 1 : 3);
  const top = margin + 5;
  const texts = [
    ...heading.map((line, i) => text(LEFT, top + i * 4, line, 3.4, 'bold')),
    ...lines.map(([name, value], i) => {
      const y = top + heading.length * 4 + 1.5 + i * (BODY + 1.2);
      return text(LEFT, y, name === '' ? '' : `${name}: `, BODY, 'normal', value);
    }),
  ].join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}mm" height="${height}mm" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(`${title}, ${link}`)}"><rect width="${width}" height="${height}" fill="#fff"/><path d="${code}" fill="#000" shape-rendering="crispEdges"/><g font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif" fill="#000">${texts}</g></svg>`;
}

/** A millionth of a millimetre is nobody's business. */
const at = (value: number): string => String(Math.round(value * 10_000) / 10_000);

function text(x: number, y: number, words: string, size: number, weight: string, value = ''): string {
  const rest = value === '' ? '' : `<tspan font-weight="bold">${escaped(value)}</tspan>`;
  return `<text x="${x}" y="${at(y)}" font-size="${size}" font-weight="${weight}">${escaped(words)}${rest}</text>`;
}
