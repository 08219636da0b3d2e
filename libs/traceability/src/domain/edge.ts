/** domain-decisions §2.6: from an older token to a newly minted one, so the graph has no loops. */
export interface Edge {
  readonly fromToken: bigint;
  readonly toToken: bigint;
  readonly eventId: string;
  readonly kind: EdgeKind;
  /** Millionths of the source's unit; null for containment and for all of an unmeasured lot. */
  readonly quantity: bigint | null;
  readonly block: number;
}

export const EDGE_KINDS = ['transformation', 'containment'] as const;
export type EdgeKind = (typeof EDGE_KINDS)[number];
