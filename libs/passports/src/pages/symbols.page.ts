import { DigitalLinkFault, digitalLinkOf, digitalLinkPath, plainGs1, readDigitalLink } from '#kernel';
import { QUIET, type Run, qrCode, runsOf } from './qr.page.js';

/** Codes that a label may have. */
export const SYMBOLS = ['qr', 'gs1-datamatrix', 'gs1-128'] as const;
export type SymbolKind = (typeof SYMBOLS)[number];

/** A code to draw: what is dark, in modules from its corner, its quiet zone included. */
export interface LabelSymbol {
  readonly kind: SymbolKind;
  readonly width: number;
  /** Of a bar code without meaning: it is as high as there is room. */
  readonly height: number;
  readonly runs: readonly Run[];
  /** Human-readable text below the code, an element each with its identifier; none of a QR code, which has an address in it. */
  readonly text: readonly string[];
}

/** ISO/IEC 16022: one light module around it. ISO/IEC 15417: ten at each end. */
const QUIET_ZONES = { 'gs1-datamatrix': 1, 'gs1-128': 10 } as const;

/** Application identifier and value. */
export type Element = readonly [identifier: string, value: string];

/** Elements of a lot's key; null of a code of the tenant's own. */
export function elementsOf(key: string): readonly Element[] | null {
  const digitalLink = digitalLinkOf(key);
  return digitalLink === null ? null : elementsOfPath(digitalLinkPath(digitalLink));
}

/** Elements of the path of a Digital Link; null of another path. */
function elementsOfPath(path: string): readonly Element[] | null {
  const link = readDigitalLink(path);
  if (link === null || link instanceof DigitalLinkFault) return null;
  const parts = link.path.slice(1).split('/');
  return parts.flatMap((part, i) => (i % 2 === 0 ? [[part, plainGs1(parts[i + 1]!)] as const] : []));
}

export function qrSymbol(link: string): LabelSymbol {
  const { size, dark } = qrCode(link);
  const side = size + 2 * QUIET;
  return { kind: 'qr', width: side, height: side, runs: shifted(runsOf(dark), QUIET), text: [] };
}

const shifted = (runs: readonly Run[], by: number): Run[] => runs.map(({ x, y, width }) => ({ x: x + by, y: y + by, width }));

export async function gs1Symbol(kind: 'gs1-datamatrix' | 'gs1-128', elements: readonly Element[]): Promise<LabelSymbol> {
  // Two megabytes, loaded when the first such label is drawn.
  const { default: bwip } = await import('@bwip-js/node');
  // Parentheses are its marks of identifiers: those of a value are escaped by their numbers.
  const text = elements.map(([identifier, value]) => `(${identifier})${value.replaceAll('(', '^040').replaceAll(')', '^041')}`).join('');
  const [code] = bwip.raw(kind === 'gs1-128' ? 'gs1-128' : 'gs1datamatrix', text, { parse: true });
  const quiet = QUIET_ZONES[kind];
  const written = elements.map(([identifier, value]) => `(${identifier})${value}`);
  if ('sbs' in code!) {
    const runs: Run[] = [];
    let x = quiet;
    for (const [i, width] of code.sbs.entries()) {
      if (i % 2 === 0) runs.push({ x, y: 0, width });
      x += width;
    }
    return { kind, width: x + quiet, height: 1, runs, text: written };
  }
  const { pixs, pixx, pixy } = code as { readonly pixs: readonly number[]; readonly pixx: number; readonly pixy: number };
  const rows = Array.from({ length: pixy }, (_, y) => Array.from({ length: pixx }, (__, column) => pixs[y * pixx + column] === 1));
  return { kind, width: pixx + 2 * quiet, height: pixy + 2 * quiet, runs: shifted(runsOf(rows), quiet), text: written };
}

/** The GS1 DataMatrix of a passport's Digital Link, for its page. @param path that of the link */
export async function linkMatrix(path: string | null): Promise<LabelSymbol | null> {
  const elements = path === null ? null : elementsOfPath(path);
  return elements === null ? null : gs1Symbol('gs1-datamatrix', elements);
}

/** A code without its text, on white. */
export function symbolSvg({ width, height, runs }: LabelSymbol, name: string, label: string): string {
  const path = runs.map((run) => `M${run.x} ${run.y}h${run.width}v1h-${run.width}z`).join('');
  return `<svg class="${name}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}" shape-rendering="crispEdges"><rect width="${width}" height="${height}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`;
}
