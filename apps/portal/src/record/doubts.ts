import { readNumber } from '../state/numbers.js';
import type { EventDraft } from './draft.js';
import type { Filled } from './filled.js';
import { type Issue, pointerTo } from './issues.js';
import type { Process } from './process.js';
import type { Shape } from './shape.js';
import { t } from '../state/language.js';

/** A number that can be read in two ways, thousands first; nobody but the person knows which. */
export interface Doubt {
  readonly pointer: string;
  readonly typed: string;
  readonly readings: readonly [number, number];
}

/** Every number of the form that is to be asked about before anything is recorded. */
export function doubtsOf(process: Process, draft: EventDraft): readonly Doubt[] {
  const lots = process.hasLines ? draft.lots.map(({ quantity }, index) => doubtOf(`/metadata/inputs/${index}`, quantity, null)) : [];
  return [...lots.flat(), ...inShape(process.shape, draft.filled, '/metadata')];
}

export const doubtOf = (pointer: string, typed: string, most: number | null): readonly Doubt[] => {
  const read = readNumber(typed, { most });
  return read.kind === 'ambiguous' ? [{ pointer, typed, readings: read.readings }] : [];
};

function inShape(shape: Shape, filled: Filled | undefined, at: string): readonly Doubt[] {
  const part = (key: string): Filled | undefined =>
    typeof filled === 'object' ? (filled as Readonly<Record<string, Filled>>)[key] : undefined;
  switch (shape.kind) {
    case 'number':
      return typeof filled === 'string' ? doubtOf(at, filled, shape.most) : [];
    case 'object':
      return shape.fields.flatMap(({ key, shape: inner }) => inShape(inner, part(key), pointerTo(at, key)));
    case 'tuple':
      return shape.items.flatMap(({ key, shape: inner }) => inShape(inner, part(key), pointerTo(at, key)));
    case 'list':
      return Array.isArray(filled)
        ? (filled as readonly Filled[]).flatMap((item, index) => inShape(shape.item, item, pointerTo(at, index)))
        : [];
    case 'variants': {
      const variant = part('variant');
      const chosen = typeof variant === 'string' && variant !== '' ? shape.of[Number(variant)] : undefined;
      return chosen ? inShape(chosen.shape, part('value'), at) : [];
    }
    default:
      return [];
  }
}

/** What is asked about comes before what the service says of the same place. */
export const withDoubts = (issues: readonly Issue[], doubts: readonly Doubt[]): readonly Issue[] => [
  ...doubts.map(({ pointer, typed }) => ({
    pointer,
    message: t('{typed} can be read in two ways. Choose one.', { typed }),
    severity: 'error' as const,
  })),
  ...issues.filter(({ pointer }) => doubts.every((doubt) => pointer !== doubt.pointer && !pointer.startsWith(`${doubt.pointer}/`))),
];
