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
