import type { LotThen } from '../contract.js';

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
