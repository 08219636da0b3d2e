import type { Page, PageRequest } from '#kernel';
import type { SystemTx, TenantTx } from '#persistence';
import type { Issued, PassportFacts, PassportSetting } from './domain/facts.js';
import type { CheckResult, PublicPassport } from './domain/passport.js';

/** A passport found by what stands on the goods. */
export interface Found {
  readonly tenantId: string;
  readonly id: string;
}

/** A lot that may have a passport and has none. */
export interface Candidate {
  readonly tokenId: bigint;
  readonly contract: string;
  readonly tlc: string;
  readonly gtin: string | null;
}

/** Passports that were issued; they stay, withdrawn or not, since their codes are printed on goods. */
export abstract class Passports {
  /** Of any tenant, whether it shows them or not. */
  abstract byId(tx: SystemTx, id: string): Promise<Found | null>;
  /** By the GTIN of 14 digits and the lot code that a Digital Link has. */
  abstract byLink(tx: SystemTx, gtin: string, lot: string): Promise<Found | null>;
  /** Of this tenant; a withdrawn one too. */
  abstract issued(tx: TenantTx, id: string): Promise<Issued | null>;
  /** In the order of their ids; `after` null = from the first. */
  abstract after(tx: TenantTx, after: string | null, most: number): Promise<readonly Issued[]>;
  /** Newest first. */
  abstract list(tx: TenantTx, request: PageRequest): Promise<Page<Issued>>;
  abstract isRecalled(tx: TenantTx, tokenId: bigint): Promise<boolean>;
  /** Null for a lot of an asset type without passports, or whose code's text is not known. */
  abstract candidate(tx: TenantTx, tokenId: bigint): Promise<Candidate | null>;
  /** Of the lot that has this number now: another one may have had it before a deep reorganisation. */
  abstract ofLot(tx: TenantTx, tokenId: bigint): Promise<Issued | null>;
  /** What a lot's page depends on by itself, as one text: another text, another page. */
  abstract stamp(tx: TenantTx, id: string): Promise<string | null>;
  /** One whose Digital Link is another's has none: a code that is printed leads to whoever was first. @returns how many are new */
  abstract add(tx: TenantTx, passports: readonly (Candidate & { readonly id: string })[], at: Date): Promise<number>;
  /** Lots of asset types with passports that events of the next blocks made, up to a final one, and the block that they reach. */
  abstract candidates(
    tx: TenantTx,
    after: number,
    upTo: number,
    most: number,
  ): Promise<{ readonly lots: readonly Candidate[]; readonly reached: number }>;
  /** @returns the version from now on: one more if the content is another than before */
  abstract published(tx: TenantTx, issued: Issued, contentHash: string, at: Date): Promise<Pick<Issued, 'version' | 'updatedAt'>>;
  /** @param by null reinstates it */
  abstract withdraw(
    tx: TenantTx,
    id: string,
    by: { readonly id: string; readonly at: Date; readonly reason: string } | null,
  ): Promise<void>;
  /** Those whose evidence was looked at longest ago, before a time; null where the lot is not on the chain any more, or not as it was. */
  abstract unchecked(
    tx: TenantTx,
    before: Date,
    most: number,
  ): Promise<readonly { readonly id: string; readonly evidence: Evidence | null }[]>;
  /** Writes down what a look at the evidence came to. */
  abstract checked(tx: TenantTx, id: string, result: CheckResult, at: Date): Promise<void>;
}

/** Where the proof of a lot's making lies. */
export interface Evidence {
  readonly eventId: string;
  readonly contract: string;
  readonly txHash: string;
  readonly dataHash: string;
  readonly cid: string;
}

/** Whether and how a tenant shows passports; it does not where it has said nothing. */
export abstract class PassportSettings {
  abstract of(tx: TenantTx): Promise<PassportSetting>;
  abstract set(tx: TenantTx, setting: PassportSetting, by: { readonly id: string; readonly at: Date }): Promise<void>;
  /** Tenants that show passports, with the block up to which theirs are issued. */
  abstract showing(tx: SystemTx): Promise<readonly { readonly tenantId: string; readonly issuedTo: number }[]>;
  /** Up to which block the tenant's lots were looked at; it only grows. */
  abstract issuedTo(tx: TenantTx, block: number): Promise<void>;
}

/** Everything that the public may read of a lot, and nothing else. */
export abstract class PublicFacts {
  /** @param mostAncestors beyond so many the answer says that it is not complete */
  abstract of(tx: TenantTx, tokenId: bigint, tlc: string, mostAncestors: number): Promise<PassportFacts | null>;
}

/** What the chain itself says. */
export abstract class Receipts {
  /** Data hash of the event's log in its transaction; null where there is none. @throws EngineUnavailable('chain') */
  abstract dataHashOf(evidence: Evidence): Promise<string | null>;
}

/** An event of a lot's tree, as it landed. */
export interface RecordedEvent {
  readonly id: string;
  readonly contract: string;
  readonly cid: string;
  readonly dataHash: string;
  readonly txHash: string;
  readonly blockHash: string;
  readonly blockNumber: number;
  /** A lot that it made; null where it made none. */
  readonly makes: bigint | null;
}

export interface ProvenEvent extends RecordedEvent {
  /** bytes32 on chain. */
  readonly eventId: string;
  readonly commitment: string;
  readonly transactionIndex: number;
  /** Nodes of the receipts trie, from its root to the receipt. */
  readonly proof: readonly string[];
}

/** Receipts with their proofs to the headers of their blocks. */
export abstract class BlockEvidence {
  /** `blocks`: RLP of the headers, by hash. @throws EngineUnavailable('chain') also where headers or receipts do not hash to what they should */
  abstract of(
    events: readonly RecordedEvent[],
  ): Promise<{ readonly events: readonly ProvenEvent[]; readonly blocks: Record<string, string> }>;
}

export interface Lineage {
  /** Of the lot itself first. */
  readonly events: readonly RecordedEvent[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly id: string }[];
  readonly complete: boolean;
}

/** What evidence is made of. */
export abstract class Lineages {
  /** Null where the lot is not there, or has another code. @param most events beyond the lot's own; 0 = its own alone */
  abstract of(tx: TenantTx, tokenId: bigint, tlc: string, most: number): Promise<Lineage | null>;
}

/** What people look at. */
export abstract class PassportPages {
  /** @param verifier address of the page that checks evidence */
  abstract page(passport: PublicPassport, verifier: string): string;
  /** SVG, of 80 by 40 mm. */
  abstract label(passport: PublicPassport): string;
  /** The page that checks evidence: alone, it still works. */
  abstract verifier(): string;
}
