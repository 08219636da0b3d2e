import type { EventAccount, TreeFootprint } from '../contract.js';
import type { Naming } from '../epcis/identifiers.js';
import { exporterUnknown } from '../errors.js';

/** A lot with its history, as far as the reader may see it: what a document about it is made from. */
export interface Dossier {
  readonly lot: ExportedLot;
  readonly naming: Naming;
  /** When the document is made, and its own UUID. */
  readonly at: Date;
  readonly documentId: string;
  /** What it was made from and what became of it, oldest first: recorded events that were not corrected. */
  readonly history: readonly HistoryEntry[];
  /** The event that made each lot. */
  readonly mints: ReadonlyMap<number, HistoryEntry>;
  /** It and everything that it was made from, by token id. */
  readonly lots: ReadonlyMap<number, ExportedLot>;
  /** Part of its mass that came from each of these, 0 to 1; null where a mass is unknown. */
  readonly shares: ReadonlyMap<number, number | null>;
  /** Null where the exporter needs none. */
  readonly footprint: TreeFootprint | null;
}

export interface ExportedLot {
  /** UUID of chain, contract and token id. */
  readonly id: string;
  readonly tokenId: number;
  readonly tlc: string;
  readonly key: string;
  readonly gtin: string | null;
  readonly serial: string | null;
  readonly isContainer: boolean;
  readonly assetType: string | null;
  /** Of the asset type. */
  readonly name: string;
  readonly hsCode: string | null;
  /** Decimal text of what was made; null for an unmeasured lot. */
  readonly quantity: string | null;
  readonly uom: string | null;
  readonly massKg: number | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly retireReason: string | null;
}

/** Who recorded an event. */
export interface Party {
  readonly orgId: string;
  readonly name: string;
  readonly did: string | null;
  readonly lei: string | null;
  readonly gln: string | null;
}

/** An event of a lot's history. */
export interface HistoryEntry {
  readonly account: EventAccount;
  /** Of its process; the process type where no map says. */
  readonly label: string;
  readonly allocation: { readonly method: string | null; readonly rationale: string | null } | null;
  readonly party: Party | null;
}

/** The event that made each lot. */
export const mintsOf = (history: readonly HistoryEntry[]): ReadonlyMap<number, HistoryEntry> =>
  new Map(history.flatMap((entry) => entry.account.event.outputs.flatMap(({ tokenId }) => (tokenId === null ? [] : [[tokenId, entry]]))));

/** Whether an event belongs to a lot's history: it made something of it, it is about it, or it is an observation. */
export function belongs({ event }: EventAccount, root: number, within: ReadonlySet<number>): boolean {
  const isNamed = ({ tokenId }: { readonly tokenId: number | null }): boolean => tokenId !== null && within.has(tokenId);
  const lines = [...event.inputs, ...event.outputs];
  return event.outputs.some(isNamed) || event.outputs.length === 0 || lines.some(({ tokenId }) => tokenId === root);
}

/**
 * A format that a lot is exported in. To add one, put a file with `export const exporter: Exporter` into `exports/exporters`: it is
 * served under its name and appears in the list of formats.
 */
export interface Exporter {
  /** Of the path: `GET /nfts/{tokenId}/exports/{name}`. */
  readonly name: string;
  readonly mediaType: string;
  readonly about: string;
  /** Whether the dossier includes the footprint; it costs a walk of its own. */
  readonly needsFootprint: boolean;
  /** The document. @throws DomainError 422 for what is missing, by name */
  write(dossier: Dossier): string;
}

/** The formats that lots are exported in. */
export class Exporters {
  readonly all: readonly Exporter[];

  constructor(exporters: readonly Exporter[]) {
    this.all = exporters.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** @throws DomainError 404 `export_format_unknown` */
  named(name: string): Exporter {
    const found = this.all.find((exporter) => exporter.name === name);
    if (found) return found;
    throw exporterUnknown(
      name,
      this.all.map((exporter) => exporter.name),
    );
  }
}
