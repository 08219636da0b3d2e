import { type ContentAddress, ContentStore, addressOf, canonicalBytes } from '#content-storage';
import { Parties, type PartyLabel, Tenants, type TenantView } from '#identity';
import { keccakOf } from '#kernel';
import type { TenantTx } from '#persistence';
import { ForeignContents } from '../adapters/chain/foreign-content.js';
import { TraceabilityLogHandler } from '../adapters/chain/traceability-log-handler.js';
import { SqlLineage } from '../adapters/persistence/sql-lineage.js';
import { SqlLots } from '../adapters/persistence/sql-lots.js';
import type { Lineage, Lots } from '../contract.js';

/** A content store in memory that can be slow or gone. */
export class MemoryContent extends ContentStore {
  private readonly kept = new Map<string, Uint8Array>();
  answers: 'at once' | 'never' | 'not' = 'at once';
  /** CIDs that are kept and cannot be had. */
  readonly missing = new Set<string>();

  /** How many different contents were put. */
  get size(): number {
    return this.kept.size;
  }

  /** For who lands more than memory holds: what has landed is not asked for again. */
  forget(): void {
    this.kept.clear();
  }

  override put(bytes: Uint8Array): Promise<ContentAddress> {
    const address = addressOf(bytes);
    this.kept.set(address.cid, bytes);
    return Promise.resolve(address);
  }

  /** Stores what somebody else would have stored: canonical bytes of any object. */
  async keep(content: object): Promise<ContentAddress> {
    return this.put(canonicalBytes(content));
  }

  override get(cid: string): Promise<Uint8Array | null> {
    if (this.answers === 'never') return new Promise(() => undefined);
    if (this.answers === 'not') return Promise.reject(new Error('no store'));
    return Promise.resolve(this.missing.has(cid) ? null : (this.kept.get(cid) ?? null));
  }

  override check(): Promise<void> {
    return Promise.resolve();
  }
}

/** The projection on its own, with people known by wallet → organisation id. */
export function projectionParts(slug: string, organisations: Readonly<Record<string, string>> = {}) {
  const content = new MemoryContent();
  const parties = new KnownParties(organisations);
  const handler = new TraceabilityLogHandler(new ForeignContents(content), parties, new OneTenant(slug));
  const lots: Lots = new SqlLots();
  const lineage: Lineage = new SqlLineage();
  return { content, handler, lots, lineage, parties };
}

class KnownParties extends Parties {
  constructor(private readonly organisations: Readonly<Record<string, string>>) {
    super();
  }

  override labels(_: TenantTx, addresses: readonly string[]): Promise<ReadonlyMap<string, PartyLabel>> {
    return Promise.resolve(
      new Map(
        addresses.map((address) => {
          const orgId = this.organisations[address] ?? null;
          return [address, { label: orgId ?? address, kind: orgId ? 'organization' : 'address', orgId, orgName: orgId }];
        }),
      ),
    );
  }

  override walletsOf(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }
}

class OneTenant extends Tenants {
  constructor(private readonly slug: string) {
    super();
  }

  override byId(id: string): Promise<TenantView> {
    return Promise.resolve({
      id,
      slug: this.slug,
      name: this.slug,
      onChainTenantId: keccakOf(this.slug),
      contract: null,
      contractVersion: null,
    });
  }

  override contractOf(): Promise<string> {
    return Promise.reject(new Error('not asked'));
  }
}
