/** What is exported: a recorded event with what its process and its lots say, as far as the reader may see it. */
export interface RecordedEvent {
  readonly id: string;
  readonly processType: string | null;
  readonly processMapName: string | null;
  readonly processMapVersion: string | null;
  readonly kind: string | null;
  readonly containmentMode: number;
  readonly eventTime: string | null;
  readonly eventTimeZoneOffset: string | null;
  readonly recordTime: string;
  readonly landedAt: string | null;
  readonly actor: { readonly did: string | null };
  readonly inputs: readonly RecordedLine[];
  readonly outputs: readonly RecordedLine[];
  readonly location: object | null;
  readonly metadata: object | null;
  readonly documents: readonly object[];
  readonly ipfsCid: string | null;
  readonly dataHash: string | null;
  readonly txHash: string | null;
  readonly errorDeclaration: object | null;
  readonly supersedes: string | null;
}

export interface RecordedLine {
  readonly tokenId: number | null;
  readonly tlc: string | null;
  readonly assetType: string | null;
  readonly quantity: number | string | null;
  readonly uom: string | null;
}

export interface ProcessWords {
  readonly bizStep: string | null;
  readonly disposition: string | null;
  /** Pointers into the metadata where the map keeps well-known values elsewhere than under their reserved keys. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A lot right after the event. */
export interface LotThen {
  readonly tokenId: number;
  readonly tlc: string;
  readonly gtin: string | null;
  readonly isContainer: boolean;
  readonly assetType: string | null;
  /** Decimal text; null for an unmeasured lot. */
  readonly remaining: string | null;
  readonly uom: string | null;
}

export interface EventAccount {
  readonly event: RecordedEvent;
  readonly process: ProcessWords | null;
  /** Lots that the event names. */
  readonly lots: readonly LotThen[];
  /** What came out of the container that the event broke up. */
  readonly contents: readonly LotThen[];
}

/** A custody step that no event told of: an offer, its end, or a direct move. */
export interface CustodyStep {
  readonly id: string;
  readonly step: 'offered' | 'accepted' | 'rejected' | 'cancelled' | 'direct';
  readonly at: string;
  /** URIs of the parties. */
  readonly from: string;
  readonly to: string;
  readonly lots: readonly LotThen[];
  readonly txHash: string;
}

/** Lots flagged by a recall, or freed again from it. */
export interface RecallStep {
  readonly id: string;
  readonly step: 'recalled' | 'lifted';
  readonly at: string;
  readonly recallId: string;
  readonly reason: string | null;
  readonly recallClass: string | null;
  readonly lots: readonly LotThen[];
  readonly txHash: string;
}

/** In whose name identifiers are made: `https://host`, and the tenant's slug. */
export interface Naming {
  readonly base: string;
  readonly tenant: string;
}
