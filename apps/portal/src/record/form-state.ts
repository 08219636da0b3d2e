import type { Position } from '../state/position.js';
import type { WaitingFile } from '../waiting/store.js';
import type { Doubt } from './doubts.js';
import type { Filled } from './filled.js';
import { type Issue, pointerTo } from './issues.js';
import type { Shape } from './shape.js';

/** What all fields of one form share. */
export interface FormState {
  readonly said: (pointer: string) => readonly Issue[];
  /** Whether something is said of a part of it. */
  readonly wrongIn: (pointer: string) => boolean;
  readonly onChange: (path: readonly string[], value: Filled) => void;
  /** Adds to a list, whatever else was changed in the meantime. */
  readonly onAdd: (path: readonly string[], item: Filled) => void;
  readonly onLeave: (pointer: string) => void;
  /** Names that the process map has for its key data elements, by pointer. */
  readonly names: ReadonlyMap<string, string>;
  /** Places of fields that are required by something else than the schema. */
  readonly needed: ReadonlySet<string>;
  /** Numbers to ask about, by pointer. */
  readonly doubts: ReadonlyMap<string, Doubt>;
  /** Types of documents that the process map names, those that it asks for first; null where nothing is uploaded. */
  readonly documentTypes: readonly string[] | null;
  readonly onWaitingFile: (file: WaitingFile) => void;
  /** Known places, for fields that ask for a location. */
  readonly places: readonly KnownPlace[];
}

export interface KnownPlace {
  readonly name: string;
  readonly at: Position | null;
  readonly filledFor: (shape: Shape) => Filled;
}

export interface Place {
  readonly form: FormState;
  readonly label: string;
  readonly hint: string | null;
  readonly required: boolean;
  /** From the metadata on. */
  readonly path: readonly string[];
  readonly filled: Filled | undefined;
}

export const pointerOf = (path: readonly string[]): string => path.reduce(pointerTo, '/metadata');
export const textOf = (filled: Filled | undefined): string => (typeof filled === 'string' ? filled : '');
export const partOf = (filled: Filled | undefined, key: string): Filled | undefined =>
  typeof filled === 'object' ? (filled as Readonly<Record<string, Filled>>)[key] : undefined;
