import type { EventAccount, LotFootprint } from '../contract.js';
import type { Naming } from './recorded.js';

/** A lot with its history, as far as the reader may see it: what a document about it is made from. */
export interface Dossier {
  readonly lot: ExportedLot;
  readonly naming: Naming;
  /** When the document is made, and its own UUID. */
  readonly at: Date;
  readonly documentId: string;
  /** What it was made from and what became of it, oldest first: recorded events that stand. */
  readonly history: readonly Step[];
  /** The event that made each lot. */
  readonly mints: ReadonlyMap<number, Step>;
  /** It and everything that it was made from, by token id. */
  readonly lots: ReadonlyMap<number, ExportedLot>;
  /** Part of its mass that came from each of these, 0 to 1; null where a mass is unknown. */
  readonly shares: ReadonlyMap<number, number | null>;
  /** Null where the exporter needs none. */
  readonly footprint: LotFootprint | null;
}

export interface ExportedLot {
  /** UUID of chain, contract and token id. */
  readonly id: string;
  readonly tokenId: number;
  readonly tlc: string;
  readonly gtin: string | null;
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

export interface Step {
  readonly account: EventAccount;
  /** Of its process; the process type where no map says. */
  readonly label: string;
  readonly allocation: { readonly method: string | null; readonly rationale: string | null } | null;
  readonly party: Party | null;
}

/**
 * A format that a lot is told in. To add one, put a file with `export const exporter: LotExporter` into `domain/exporters`: it is served
 * under its name and stands in the list of formats.
 */
export interface LotExporter {
  /** Of the path: `GET /nfts/{tokenId}/exports/{name}`. */
  readonly name: string;
  readonly mediaType: string;
  readonly about: string;
  /** Whether the dossier brings the footprint; it costs a walk of its own. */
  readonly needsFootprint: boolean;
  /** The document. @throws DomainError 422 for what is missing, by name */
  write(dossier: Dossier): string;
}

/** The event that made each lot. */
export const mintsOf = (history: readonly Step[]): ReadonlyMap<number, Step> =>
  new Map(history.flatMap((step) => step.account.event.outputs.flatMap(({ tokenId }) => (tokenId === null ? [] : [[tokenId, step]]))));

/** Whether an event belongs to a lot's history: it made something of it, it is about it, or it changed nothing but told something. */
export function belongs({ event }: EventAccount, root: number, within: ReadonlySet<number>): boolean {
  const isNamed = ({ tokenId }: { readonly tokenId: number | null }): boolean => tokenId !== null && within.has(tokenId);
  const lines = [...event.inputs, ...event.outputs];
  return event.outputs.some(isNamed) || event.outputs.length === 0 || lines.some(({ tokenId }) => tokenId === root);
}
