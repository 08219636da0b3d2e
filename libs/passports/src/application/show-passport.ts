import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '#persistence';
import { passportNotFound, passportWithdrawn } from '../domain/errors.js';
import type { Issued } from '../domain/facts.js';
import type { PublicPassport } from '../domain/passport.js';
import { type Found, PassportSettings, Passports } from '../ports.js';
import { ComposePassport } from './compose-passport.js';

/** By what stands on the goods, or by its own id. */
export type Asked = { readonly gtin: string; readonly lot: string } | { readonly id: string };

export interface Shown {
  readonly tenantId: string;
  readonly passport: PublicPassport;
  readonly issued: Issued;
  /** What was made of it for this answer or one before, by a name: pages, labels. */
  readonly made: Map<string, unknown>;
}

interface Kept extends Shown {
  readonly stamp: string | null;
  readonly composedAt: number;
  askedAt: number;
}

/** A recall, a withdrawal or another status shows after so long at most … */
const LOOKED_AT_MS = 2_000;
/** … and whatever else is told of the lots behind it after so long. HTTP caches keep the page for 5 minutes. */
const COMPOSED_MS = 60_000;
const MOST_KEPT = 1_000;

/** A passport for the public: kept in memory, looked at again with one statement, composed anew when something changed. */
@Injectable()
export class ShowPassport {
  /** By origin and id; the one looked at longest ago first. */
  private readonly kept = new Map<string, Kept>();
  /** Which passport an address led to; the same order. */
  private readonly addresses = new Map<string, { readonly page: string; readonly askedAt: number }>();
  private readonly underway = new Map<string, Promise<Kept>>();

  constructor(
    private readonly work: UnitOfWork,
    private readonly passports: Passports,
    private readonly settings: PassportSettings,
    private readonly composePassport: ComposePassport,
  ) {}

  /** @param origin `https://host` that was asked @throws DomainError 404 `passport_not_found`, 410 `passport_withdrawn` */
  show(asked: Asked, origin: string): Shown | Promise<Shown> {
    const address = `${origin} ${'id' in asked ? asked.id : `${asked.gtin} ${asked.lot}`}`;
    const led = this.addresses.get(address);
    const kept = led && this.kept.get(led.page);
    const now = performance.now();
    if (kept && now - led.askedAt < LOOKED_AT_MS && now - kept.askedAt < LOOKED_AT_MS) return kept;
    const others = this.underway.get(address);
    if (others) return others;
    const own = this.look(asked, origin, address).finally(() => this.underway.delete(address));
    this.underway.set(address, own);
    return own;
  }

  private async look(asked: Asked, origin: string, address: string): Promise<Kept> {
    const now = performance.now();
    const { tenantId, id, stamp } = await this.standing(asked, origin);
    const page = `${origin} ${id}`;
    const kept = this.kept.get(page);
    const same = kept && kept.stamp === stamp && now - kept.composedAt < COMPOSED_MS;
    const shown: Kept = same
      ? Object.assign(kept, { askedAt: now })
      : { ...(await this.composePassport.compose(tenantId, id, origin)), tenantId, stamp, composedAt: now, askedAt: now, made: new Map() };
    keep(this.kept, page, shown);
    keep(this.addresses, address, { page, askedAt: now });
    return shown;
  }

  /** Who may be shown, and the text that changes with what its page says of the lot itself. */
  private standing(asked: Asked, origin: string): Promise<Found & { readonly stamp: string | null }> {
    return this.work.asSystem(async (tx) => {
      const found = 'id' in asked ? await this.passports.byId(tx, asked.id) : await this.passports.byLink(tx, asked.gtin, asked.lot);
      if (!found) throw passportNotFound();
      return tx.forTenant(found.tenantId, async (own) => {
        const issued = await this.passports.issued(own, found.id);
        // A tenant that shows none any more has withdrawn them all; whoever has the goods learns that and no more.
        if (!issued || issued.withdrawnAt || !(await this.settings.of(own)).enabled) {
          this.kept.delete(`${origin} ${found.id}`);
          throw issued ? passportWithdrawn() : passportNotFound();
        }
        return { ...found, stamp: await this.passports.stamp(own, found.id) };
      });
    });
  }
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  if (map.size >= MOST_KEPT) map.delete(map.keys().next().value!);
  map.set(key, value);
}
