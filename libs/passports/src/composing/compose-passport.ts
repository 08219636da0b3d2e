import { setTimeout as wait } from 'node:timers/promises';
import { type Actor, Clock, DomainError } from '#kernel';
import { type SnapshotTx, type TenantTx, UnitOfWork } from '#persistence';
import { erasuresSeen } from '#sealed-contents';
import { Footprints, type TreeFootprint } from '#traceability';
import { Injectable } from '@nestjs/common';
import { passportNotFound } from '../errors.js';
import { type IssuedPassport, choiceOf } from '../issuing/issued-passport.js';
import { PassportsQueries } from '../issuing/passports.queries.js';
import { PublicPassportsQueries } from '../issuing/public-passports.queries.js';
import type { PassportSetting } from '../settings/passport-setting.js';
import { SettingsQueries } from '../settings/settings.queries.js';
import type { DppDocument } from './dpp-document.js';
import { buildDocument } from './dpp-document.rules.js';
import type { PassportFacts, PublicFootprint, PublicPassport } from './passport.js';
import { buildPassport, countedPart } from './passport.rules.js';
import { PublicFactsQueries } from './public-facts.queries.js';
import { PublishVersion } from './publish-version.js';

/** Pause while values of the tenant are erased. */
const ERASING_MS = 50;
/** The widest walk (docs/spec/api.md#lots-custody-recall): a part of a tree would be a wrong sum. */
const WIDEST = { maxDepth: 200, maxNodes: 20_000 };

interface PassportInputs extends TreeTotals {
  readonly setting: PassportSetting;
  /** `yyyy-mm-dd`. */
  readonly today: string;
  readonly facts: PassportFacts;
}

/** What the public reads of a lot's tree, without anything that distinguishes one supplier from another. */
interface TreeTotals {
  /** Null where nothing was declared, or where the tree is too large for a right sum. */
  readonly footprint: PublicFootprint | null;
  /** Part of its mass of known origin; null where that is unknown, or the tree too large. */
  readonly claimShare: number | null;
}

/** Reads what a passport is made of, all of one moment. */
@Injectable()
export class ReadPassportInputs {
  constructor(
    private readonly settings: SettingsQueries,
    private readonly facts: PublicFactsQueries,
    private readonly footprints: Footprints,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 404 `passport_not_found` where the lot does not exist any more */
  async read(tx: SnapshotTx, tokenId: bigint, tlc: string): Promise<PassportInputs> {
    // The two take about as long, and a lot of a thousand ancestors is to be shown in 150 ms.
    const totals = tx.onSecondConnection((parallel) => this.totals(parallel, tokenId));
    const [facts, { footprint, claimShare }] = await Promise.all([this.facts.read(tx, tokenId, tlc, WIDEST.maxNodes), totals]);
    if (!facts) throw passportNotFound();
    const today = this.clock.now().toISOString().slice(0, 10);
    return { setting: await this.settings.read(tx), facts, footprint, claimShare, today };
  }

  private async totals(tx: TenantTx, tokenId: bigint): Promise<TreeTotals> {
    try {
      const footprint = await this.footprints.of(tx, tokenId, WIDEST, null);
      return { footprint: publicFootprint(footprint), claimShare: footprint.claimShare };
    } catch (error) {
      if (error instanceof DomainError && error.code === 'footprint_incomplete') return { footprint: null, claimShare: null };
      throw error;
    }
  }
}

function publicFootprint({ indicators, method }: TreeFootprint): PublicFootprint | null {
  const known = Object.entries(indicators).filter(([, { total }]) => total !== null);
  if (known.length === 0) return null;
  return {
    boundary: 'cradle_to_gate',
    standards: method.standards,
    indicators: Object.fromEntries(
      known.map(([name, { unit, perKg, perUnit, lowerBound, primaryDataShare, coverage }]) => [
        name,
        { unit, perKg, perUnit, lowerBound, primaryDataShare, coverage: coverage.mass },
      ]),
    ),
  };
}

/** What the links of a passport are made with. */
interface LinkBase {
  /** `https://host` of the request. */
  readonly origin: string;
  /** Behind the path of its Digital Link, where that leads to passports of several tenants; else empty. */
  readonly choice: string;
}

interface ComposedPassport {
  readonly passport: PublicPassport;
  readonly issued: IssuedPassport;
  readonly setting: PassportSetting;
  /** The same as EN 18223 has it. */
  readonly document: DppDocument;
}

/** What the public reads of a lot, from what its tenant's other contexts publish. */
@Injectable()
export class ComposePassport {
  constructor(
    private readonly work: UnitOfWork,
    private readonly passports: PassportsQueries,
    private readonly addressed: PublicPassportsQueries,
    private readonly inputs: ReadPassportInputs,
    private readonly publishVersion: PublishVersion,
  ) {}

  /** @throws DomainError 404 `passport_not_found` where the lot does not exist any more */
  async compose(tenantId: string, id: string, address: LinkBase): Promise<ComposedPassport> {
    const { issued, erasures, ...inputs } = await this.work.inSnapshot({ tenantId }, async (tx) => {
      const found = await this.passports.byId(tx, id);
      if (!found) throw passportNotFound();
      return { issued: found, erasures: await erasuresSeen(tx), ...(await this.inputs.read(tx, found.tokenId, found.tlc)) };
    });
    const passport = buildPassport({ ...inputs, issued, ...address });
    const document = buildDocument({ issued, tenantId, facts: inputs.facts, passport });
    const eventIds = inputs.facts.events.map((event) => event.id);
    const publication = { counted: countedPart(passport), document, eventIds, erasures };
    const current = await this.publishVersion.publish(tenantId, issued, publication);
    if (current === null) return wait(ERASING_MS).then(() => this.compose(tenantId, id, address));
    const published = { version: current.version, lastUpdated: current.updatedAt.toISOString() };
    return {
      passport: { ...passport, ...published },
      issued: current,
      setting: inputs.setting,
      document: { ...document, lastUpdated: published.lastUpdated },
    };
  }

  /** The passport of any lot of the tenant: a draft where none is issued. @throws DomainError 404 `passport_not_found` */
  async preview(actor: Actor, tokenId: bigint, origin: string): Promise<PublicPassport> {
    const { tenantId } = actor;
    const { lot, issued } = await this.work.inTransaction(actor, async (tx) => ({
      lot: await this.passports.lot(tx, tokenId),
      issued: await this.passports.ofLot(tx, tokenId),
    }));
    if (!lot) throw passportNotFound();
    if (issued) return (await this.compose(tenantId, issued.id, { origin, choice: await this.choice(actor, issued) })).passport;
    const inputs = await this.work.inSnapshot({ tenantId }, (tx) => this.inputs.read(tx, lot.tokenId, lot.tlc));
    return buildPassport({ ...inputs, issued: null, origin });
  }

  private async choice({ tenantId, tenantSlug }: Actor, { link }: IssuedPassport): Promise<string> {
    if (link === null) return '';
    const shared = await this.work.readAsSystem((tx) => this.addressed.shared(tx, tenantId, [link]));
    return shared.has(link) ? choiceOf(tenantSlug) : '';
  }
}
