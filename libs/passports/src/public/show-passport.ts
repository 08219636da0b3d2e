import { UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { ComposePassport } from '../composing/compose-passport.js';
import type { PublicPassport } from '../composing/passport.js';
import { passportNotFound, passportWithdrawn } from '../errors.js';
import type { IssuedPassport } from '../issuing/issued-passport.js';
import { type PassportAddress, type PassportKey, PassportsQueries, PublicPassportsQueries } from '../issuing/passports.queries.js';
import { SettingsQueries } from '../settings/settings.queries.js';

export interface PassportOnShow {
  readonly tenantId: string;
  readonly passport: PublicPassport;
  readonly issued: IssuedPassport;
  /** Pages, labels and files that were made of it, by name. */
  readonly renderings: Map<string, unknown>;
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
const MAX_ENTRIES = 1_000;

/** A passport for the public: cached in memory, checked with one statement, composed again when something changed. */
@Injectable()
export class ShowPassport {
  /** By origin and id; the entry that was checked longest ago first. */
  private readonly entries = new Map<string, CacheEntry>();
  /** Which entry an address led to; the same order. */
  private readonly addresses = new Map<string, { readonly entry: string; readonly checkedAt: number }>();
  private readonly pending = new Map<string, Promise<CacheEntry>>();

  constructor(
    private readonly work: UnitOfWork,
    private readonly addressed: PublicPassportsQueries,
    private readonly passports: PassportsQueries,
    private readonly settings: SettingsQueries,
    private readonly composePassport: ComposePassport,
  ) {}

  /** @param origin `https://host` of the request @throws DomainError 404 `passport_not_found`, 410 `passport_withdrawn` */
  show(address: PassportAddress, origin: string): PassportOnShow | Promise<PassportOnShow> {
    const key = `${origin} ${Object.values(address).join(' ')}`;
    const known = this.addresses.get(key);
    const cached = known && this.entries.get(known.entry);
    const now = performance.now();
    if (cached && now - known.checkedAt < CHECK_MS && now - cached.checkedAt < CHECK_MS) return cached;
    const shared = this.pending.get(key);
    if (shared) return shared;
    const own = this.load(address, origin, key).finally(() => this.pending.delete(key));
    this.pending.set(key, own);
    return own;
  }

  private async load(address: PassportAddress, origin: string, key: string): Promise<CacheEntry> {
    const now = performance.now();
    const { tenantId, id, stamp } = await this.check(address, origin);
    const entry = `${origin} ${id}`;
    const cached = this.entries.get(entry);
    const isCurrent = cached && cached.stamp === stamp && now - cached.composedAt < COMPOSE_MS;
    const current: CacheEntry = isCurrent
      ? Object.assign(cached, { checkedAt: now })
      : {
          ...(await this.composePassport.compose(tenantId, id, origin)),
          tenantId,
          stamp,
          composedAt: now,
          checkedAt: now,
          renderings: new Map(),
        };
    cache(this.entries, entry, current);
    cache(this.addresses, key, { entry, checkedAt: now });
    return current;
  }

  /** Which passport may be shown, and the text that changes with what its page says of the lot itself. */
  private check(address: PassportAddress, origin: string): Promise<PassportKey & { readonly stamp: string | null }> {
    return this.work.asSystem(async (tx) => {
      const found = await this.addressed.find(tx, address);
      if (!found) throw passportNotFound();
      return tx.forTenant(found.tenantId, async (own) => {
        const issued = await this.passports.byId(own, found.id);
        // A tenant that turned passports off has withdrawn them all; a reader who has the goods learns that and no more.
        if (!issued || issued.withdrawnAt || !(await this.settings.read(own)).enabled) {
          this.entries.delete(`${origin} ${found.id}`);
          throw issued ? passportWithdrawn() : passportNotFound();
        }
        return { ...found, stamp: await this.addressed.stamp(own, found.id) };
      });
    });
  }
}

function cache<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  if (map.size >= MAX_ENTRIES) map.delete(map.keys().next().value!);
  map.set(key, value);
}
