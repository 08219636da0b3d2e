import type { ImportMapping } from './import-mapping.js';
import type { ProposedColumn } from './mapping-proposal.js';

/** What a run of the job does: proposes a mapping, checks every row, or prepares the events. */
export const IMPORT_TASKS = ['propose', 'check', 'prepare'] as const;
export type ImportTask = (typeof IMPORT_TASKS)[number];

/** `waiting` and `running`: its job is queued, or runs. `proposed`, `checked` and `prepared`: the task is done. */
export const IMPORT_STATES = ['waiting', 'running', 'proposed', 'checked', 'prepared', 'failed', 'cancelled'] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

export interface ImportCounts {
  /** Rows with something in them, the header apart. */
  readonly total: number;
  readonly done: number;
  readonly valid: number;
  readonly invalid: number;
  readonly prepared: number;
  /** Rows whose event was prepared before, by this import or another. */
  readonly repeated: number;
}

export const NO_ROWS: ImportCounts = { total: 0, done: 0, valid: 0, invalid: 0, prepared: 0, repeated: 0 };

export interface ImportProposal {
  readonly headerRow: number;
  readonly headers: readonly { readonly letter: string; readonly header: string }[];
  readonly sheets: readonly string[];
  readonly separator: string | null;
  readonly columns: readonly ProposedColumn[];
}

export interface ImportRecord {
  readonly id: string;
  readonly fileId: string;
  readonly name: string;
  readonly size: number;
  readonly format: string | null;
  readonly task: ImportTask;
  readonly state: ImportState;
  readonly processType: string | null;
  readonly mapping: ImportMapping | null;
  readonly proposal: ImportProposal | null;
  readonly counts: ImportCounts;
  readonly remarks: readonly string[];
  /** Why it failed. */
  readonly failure: { readonly code: string; readonly message: string } | null;
  readonly stopping: boolean;
  readonly orgId: string | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly changedAt: Date;
}

/** `format` of EPCIS in XML: its events are named by their place, and need no mapping. */
export const EPCIS_XML = 'epcis';
export const IMPORT_FORMATS = ['csv', 'xlsx', 'edi856', EPCIS_XML] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** Whether a file is XML, by how it begins. */
export const isXml = (bytes: Buffer): boolean => /^(?:\u{feff})?\s*<[?!A-Za-z_]/u.test(bytes.toString('utf8', 0, 512));

export const isUnderway = ({ state }: Pick<ImportRecord, 'state'>): boolean => state === 'waiting' || state === 'running';
export const doneState = (task: ImportTask): ImportState => ({ propose: 'proposed', check: 'checked', prepare: 'prepared' } as const)[task];

export const MAX_IMPORT_BYTES = 50 * 1024 * 1024;
export const MAX_IMPORT_ROWS = 100_000;

export const added = (counts: ImportCounts, more: Partial<ImportCounts>): ImportCounts =>
  Object.fromEntries(
    Object.entries(counts).map(([name, count]) => [name, (count as number) + (more[name as keyof ImportCounts] ?? 0)]),
  ) as unknown as ImportCounts;
