import { type ContentAddress, ContentStore, addressOf, canonicalBytes } from '#content-storage';
import { Parties, type PartyLabel, Tenants, type TenantView } from '#identity';
import { keccakOf } from '#kernel';
import type { TenantTx, UnitOfWork } from '#persistence';
import { ConfiguredKeys, ContentKeyStore, OpenContents } from '#sealed-contents';
import { ExternalContents } from '../landing/find-external-content.js';
import { TraceabilityProjector } from '../landing/traceability.projector.js';
import { LineageQueries } from '../lineage/lineage.queries.js';
import { LotQueries } from '../lots/lots.queries.js';
import type { Lineage } from '../contract/lineage.js';
import type { Lots } from '../contract/lots.js';

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

  /** For runs that land more than memory holds: content is not read again after landing. */
  forget(): void {
    this.kept.clear();
  }

  override put(bytes: Uint8Array): Promise<ContentAddress> {
    const address = addressOf(bytes);
    this.kept.set(address.cid, bytes);
    return Promise.resolve(address);
  }

  /** Stores canonical bytes of any object, as another sender would have done. */
  async keep(content: object): Promise<ContentAddress> {
    return this.put(canonicalBytes(content));
  }

  override get(cid: string): Promise<Uint8Array | null> {
    if (this.answers === 'never') return new Promise(() => undefined);
    if (this.answers === 'not') return Promise.reject(new Error('no store'));
    return Promise.resolve(this.missing.has(cid) ? null : (this.kept.get(cid) ?? null));
  }

  override async delete(cids: readonly string[]): Promise<void> {
    for (const cid of cids) this.kept.delete(cid);
  }

  override check(): Promise<void> {
    return Promise.resolve();
  }
}

/** Landing reads keys in its own transaction. */
const NO_WORK = null as unknown as UnitOfWork;

/** The projector on its own, with parties known by wallet → organisation id. */
export function landingParts(slug: string, organisations: Readonly<Record<string, string>> = {}, work: UnitOfWork = NO_WORK) {
  const content = new MemoryContent();
  const parties = new KnownParties(organisations);
  const opening = new OpenContents(new ContentKeyStore(work, new ConfiguredKeys([Buffer.alloc(32, 9)])));
  const handler = new TraceabilityProjector(new ExternalContents(content, opening), parties, new OneTenant(slug));
  const lots: Lots = new LotQueries();
  const lineage: Lineage = new LineageQueries();
  return { content, opening, handler, lots, lineage, parties };
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
