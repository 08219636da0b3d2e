import { encode } from 'uqr';

/** ISO/IEC 18004 §5.3.8: so many light modules around it. */
export const QUIET = 4;

interface QrCode {
  /** Modules on a side, without the quiet zone. */
  readonly size: number;
  readonly dark: readonly (readonly boolean[])[];
}

/** Error correction M (15 %), what GS1 recommends for print. */
export function qrCode(text: string): QrCode {
  const { data, size } = encode(text, { ecc: 'M', border: 0 });
  return { size, dark: data };
}

/** Runs of dark modules, each once: `d` of an SVG path on a grid of modules. */
function qrPath({ dark }: QrCode, left: number, top: number): string {
  return runsOf(dark)
    .map(({ x, y, width }) => `M${x + left} ${y + top}h${width}v1h-${width}z`)
    .join('');
}

export interface Run {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export function runsOf(dark: QrCode['dark']): Run[] {
  const runs: Run[] = [];
  dark.forEach((row, y) => {
    for (let x = 0; x < row.length;) {
      let end = x;
      while (end < row.length && row[end]) end++;
      if (end > x) runs.push({ x, y, width: end - x });
      x = end + 1;
    }
  });
  return runs;
}

export function qrSvg(text: string, label: string): string {
  const code = qrCode(text);
  const side = code.size + 2 * QUIET;
  return `<svg class="qr" viewBox="0 0 ${side} ${side}" role="img" aria-label="${label}" shape-rendering="crispEdges"><rect width="${side}" height="${side}" fill="#fff"/><path d="${qrPath(code, QUIET, QUIET)}" fill="#000"/></svg>`;
}
