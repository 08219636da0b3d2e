import { PublicWork, SharedWork } from '#http';
import { SharedCache, heldBytes } from '#kernel';
import { Injectable } from '@nestjs/common';
import { ComposePassport } from '../composing/compose-passport.js';
import type { DppDocument } from '../composing/dpp-document.js';
import type { PublicPassport } from '../composing/passport.js';
import type { IssuedPassport } from '../issuing/issued-passport.js';
import type { PassportRequest } from '../issuing/passports.dto.js';
import type { PassportAddress } from '../issuing/passport-address.js';
import { FindPassport, type FoundPassport } from './find-passport.js';
import type { PassportChoices } from './passport-choices.js';
import { Renderings } from './renderings.js';

export interface PassportOnShow {
  readonly tenantId: string;
  readonly passport: PublicPassport;
  readonly issued: IssuedPassport;
  readonly document: DppDocument;
  readonly renderings: Renderings;
}

interface CacheEntry extends PassportOnShow {
  readonly stamp: string | null;
  readonly composedAt: number;
  checkedAt: number;
}

/** A recall, a withdrawal or another status shows after so long at most … */
const CHECK_MS = 2_000;
/** … and changes of the lots behind it after so long. HTTP caches keep the page for 5 minutes. */
const COMPOSE_MS = 60_000;
const MiB = 1024 * 1024;
/** Passports with their pages, labels and evidence; and the addresses that led to them, which cost one statement when they are forgotten. */
const KEPT = { whole: 64 * MiB, share: 16 * MiB };
const KEPT_ADDRESSES = { whole: 4 * MiB, share: 4 * MiB };
const BYTES_OF_ENTRY = 1024;

/** Who reads: a client at an address, that called the service by this origin, `https://host`. */
type Reader = Pick<PassportRequest, 'publicOrigin' | 'ip'>;

/**
 * A passport for the public: cached in memory, checked with one statement, composed again when something changed. No tenant has more than a
 * share of the cache, nor of the work.
 */
@Injectable()
export class ShowPassport {
  /** By tenant, and by origin and id. */
  private readonly entries = new SharedCache<CacheEntry>(KEPT);
  /** Which entry an address led to. */
  private readonly addresses = new SharedCache<{ readonly tenantId: string; readonly entry: string; readonly checkedAt: number }>(
    KEPT_ADDRESSES,
  );
  private readonly pending = new SharedWork<string, CacheEntry | PassportChoices>();

  constructor(
    private readonly findPassport: FindPassport,
    private readonly composePassport: ComposePassport,
    private readonly publicWork: PublicWork,
  ) {}

  /** By its own id, which is that of one passport. @throws as `find` */
  show(id: string, reader: Reader): Promise<PassportOnShow> {
    return this.find({ id }, reader) as Promise<PassportOnShow>;
  }

  /** @throws DomainError 404 `passport_not_found`, 410 `passport_withdrawn`, 429, 503 as `PublicWork` */
  async find(address: PassportAddress, reader: Reader): Promise<PassportOnShow | PassportChoices> {
    const key = `${reader.publicOrigin} ${JSON.stringify(address)}`;
    const known = this.addresses.get('', key);
    const cached = known && this.entries.get(known.tenantId, known.entry);
    const now = performance.now();
    if (cached && now - known.checkedAt < CHECK_MS && now - cached.checkedAt < CHECK_MS) return cached;
    return this.pending.run(key, () => this.load(address, reader, key));
  }

  private async load(address: PassportAddress, reader: Reader, key: string): Promise<CacheEntry | PassportChoices> {
    const now = performance.now();
    const found = await this.findPassport.find(address);
    if ('choices' in found) return found;
    const { tenantId, id, stamp, refusal } = found;
    const entry = `${reader.publicOrigin} ${id}`;
    if (refusal) {
      this.entries.delete(tenantId, entry);
      throw refusal;
    }
    const cached = this.entries.get(tenantId, entry);
    const isCurrent = cached && cached.stamp === stamp && now - cached.composedAt < COMPOSE_MS;
    const current = isCurrent ? Object.assign(cached, { checkedAt: now }) : await this.compose(found, reader, now);
    this.keep(current, entry);
    this.addresses.set('', key, { tenantId, entry, checkedAt: now }, BYTES_OF_ENTRY + key.length + entry.length);
    return current;
  }

  private async compose(
    { tenantId, id, stamp, choice }: FoundPassport,
    { publicOrigin: origin, ip }: Reader,
    now: number,
  ): Promise<CacheEntry> {
    const composed = await this.publicWork.run({ tenant: tenantId, ip }, () =>
      this.composePassport.compose(tenantId, id, { origin, choice }),
    );
    const entry = `${origin} ${id}`;
    const made: CacheEntry = {
      ...composed,
      tenantId,
      stamp,
      composedAt: now,
      checkedAt: now,
      renderings: new Renderings(() => {
        if (this.entries.get(tenantId, entry) === made) this.keep(made, entry);
      }),
    };
    return made;
  }

  private keep(made: CacheEntry, entry: string): void {
    this.entries.set(
      made.tenantId,
      entry,
      made,
      BYTES_OF_ENTRY + heldBytes(made.passport) + heldBytes(made.document) + made.renderings.bytes,
    );
  }
}
