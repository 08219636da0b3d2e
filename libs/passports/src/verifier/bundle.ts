/** An evidence file: what it takes to check a passport without the service. All of it is canonical JSON (RFC 8785). */
export interface Bundle {
  readonly format: typeof BUNDLE_FORMAT;
  /** `public`: bytes of events are left out, since they say more than the public may read. */
  readonly tier: 'public' | 'restricted';
  /** What the public read, as RFC 8785 text, and its CID. */
  readonly passport: { readonly text: string; readonly cid: string };
  readonly chain: { readonly chainId: number; readonly contract: string };
  /** The event that made the lot first; then, in a restricted file, those of its ancestors and what was observed of them. */
  readonly events: readonly BundledEvent[];
  readonly lineage: { readonly complete: boolean; readonly edges: readonly BundledEdge[] };
  /** By block hash: RLP of the header. */
  readonly blocks: Readonly<Record<string, string>>;
  /** sha2-256 of everything above. */
  readonly digest: string;
}

export const BUNDLE_FORMAT = 'traceability-passport-bundle/1';

export interface BundledEvent {
  /** bytes32 on chain. */
  readonly eventId: string;
  readonly cid: string;
  readonly dataHash: string;
  /** What the CID stands for, as text; null in a public file. */
  readonly text: string | null;
  /** What the contract keeps of the event. */
  readonly commitment: string;
  readonly blockHash: string;
  readonly blockNumber: number;
  readonly transactionIndex: number;
  /** Nodes of the receipts trie from its root to the receipt, hexadecimal. */
  readonly proof: readonly string[];
}

export interface BundledEdge {
  readonly from: string;
  readonly to: string;
  readonly eventId: string;
}
