import { hash } from 'node:crypto';
import { ChainHead } from '#chain';
import { Parties } from '#identity';
import { type Actor, Clock } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { erasuresSeen, holdErasuresSince } from '#sealed-contents';
import { scopePatterns } from '#traceability';
import { Injectable } from '@nestjs/common';
import { ReportCache } from './report-cache.queries.js';
import { type ReportPage, type ReportResult, type ReportScope, readsAll, reportedOrganisation } from './report.js';

export interface ReportKey {
  /** Last part of the path, and `report` of the response. */
  readonly name: string;
  /** The report reads the whole tenant: for large tenants its answers are cached (`get-report.ts`). */
  readonly cached?: true;
  /** It is the same until a revision of the tenant (`#persistence`): no clock, and nothing that revisions do not tell of. */
  readonly lasting?: true;
}

/** Reads one report. The same data always gives the same order of rows, and `next` says where the next page begins. */
export abstract class Report<Row extends object = object> {
  /** Runs before the snapshot of the first page: for work that writes or asks other systems. */
  async prepare(_actor: Actor, _orgId: string | null, _parameters: ReportScope['parameters']): Promise<void> {}
  abstract read(tx: TenantTx, scope: ReportScope): Promise<ReportPage<Row>>;
}

export interface ReportClass<Row extends object = object> {
  readonly key: ReportKey;
  new (...dependencies: never[]): Report<Row>;
}

/** What a caller asks for. */
export interface ReportRequest extends Pick<ReportScope, 'from' | 'to' | 'limit' | 'after' | 'parameters'> {
  readonly orgId?: string | undefined;
}

/** One processor per report, however large: the others serve other requests. Its sorts may use some memory. */
const LIMITS = "select set_config('max_parallel_workers_per_gather', $1, true), set_config('work_mem', $2, true)";

@Injectable()
export class ReadReport {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly parties: Parties,
    private readonly chainHead: ChainHead,
    private readonly clock: Clock,
  ) {}

  /**
   * Reads one page in one snapshot.
   * @throws DomainError 403 `own_organisation_only`, 404 `organisation_not_found`
   */
  async read(report: Report, actor: Actor, request: ReportRequest): Promise<ReportResult> {
    const orgId = reportedOrganisation(actor, request.orgId);
    if (request.after === null) await report.prepare(actor, orgId, request.parameters);
    return this.unitOfWork.inSnapshot(actor, async (tx) => {
      const generatedAt = this.clock.now();
      const { from, to, limit, after, parameters } = request;
      const access = { readsAll: readsAll(actor), processes: scopePatterns(actor) };
      // The limits come first on the connection, so that they hold for what the report starts together with them.
      const [, asOf, page] = await Promise.all([
        tx.sql(LIMITS, ['0', '64MB']),
        this.chainHead.position(tx),
        this.organisation(tx, orgId).then((organisation) =>
          report.read(tx, { from, to, organisation, ...access, limit, after, parameters, now: generatedAt }),
        ),
      ]);
      return { asOf, ...page, generatedAt, orgId, isLive: page.asOf === undefined };
    });
  }

  private async organisation(tx: TenantTx, orgId: string | null): Promise<ReportScope['organisation']> {
    return orgId === null ? null : { orgId, wallets: await this.parties.walletsOf(tx, orgId) };
  }
}

/** Reports of smaller tenants are not cached: reading them takes no longer than looking into the cache. */
export const LARGE_TENANT_LOTS = 20_000;
/** A cached answer this young is not refreshed: blocks arrive all the time, and a report of a large tenant takes seconds. */
const MIN_AGE_MS = 30_000;
/** A cached answer this old is refreshed without a new block: labels, sites and dates change without one. */
const MAX_FRESH_MS = 300_000;
/** An older cached answer is not returned. */
const MAX_AGE_MS = 86_400_000;

interface CacheEntry {
  readonly question: string;
  readonly cached: ReportResult | null;
  readonly outdated: boolean;
}

/** Half a large tenant does not become one in this time. */
const SMALL_FOR_MS = 30_000;
const MOST_SMALL = 1_000;

/** Tenants that had few lots a moment ago, so that the cache has nothing of theirs. */
class SmallTenants {
  private readonly until = new Map<string, number>();

  isKnown(tenantId: string): boolean {
    return (this.until.get(tenantId) ?? 0) > performance.now();
  }

  add(tenantId: string): void {
    if (this.until.size >= MOST_SMALL) this.until.clear();
    this.until.set(tenantId, performance.now() + SMALL_FOR_MS);
  }
}

/** The cached answer to a question, and whether the chain or the time has moved on since. */
@Injectable()
export class FindAnswer {
  private readonly small = new SmallTenants();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly chainHead: ChainHead,
    private readonly cache: ReportCache,
    private readonly clock: Clock,
  ) {}

  /** Null for a tenant that is too small for the cache. @throws DomainError 403 `own_organisation_only` */
  async find(key: ReportKey, actor: Actor, request: ReportRequest): Promise<CacheEntry | null> {
    const question = questionOf(key, actor, request);
    if (this.small.isKnown(actor.tenantId)) return null;
    const [lots, cached, { head }] = await this.unitOfWork.read(actor, (tx) =>
      Promise.all([this.cache.lotCount(tx), this.cache.find(tx, question), this.chainHead.position(tx)]),
    );
    if (lots < LARGE_TENANT_LOTS) {
      if (lots < LARGE_TENANT_LOTS / 2) this.small.add(actor.tenantId);
      return null;
    }
    if (!cached) return { question, cached, outdated: true };
    const age = this.clock.now().getTime() - cached.generatedAt.getTime();
    if (age > MAX_AGE_MS) return { question, cached: null, outdated: true };
    return { question, cached, outdated: age > MAX_FRESH_MS || (age > MIN_AGE_MS && cached.asOf.head !== head) };
  }
}

/** Digest of everything that the answer depends on, except the data and the time. */
export function questionOf({ name }: ReportKey, actor: Actor, { from, to, orgId, limit, after, parameters }: ReportRequest): string {
  const parts = [name, from, to, reportedOrganisation(actor, orgId), readsAll(actor), scopePatterns(actor), limit, after, parameters];
  return hash('sha256', JSON.stringify(parts));
}

/** Reads a report and keeps the answer for the next caller with the same question. */
@Injectable()
export class StoreAnswer {
  constructor(
    private readonly readReport: ReadReport,
    private readonly unitOfWork: UnitOfWork,
    private readonly cache: ReportCache,
  ) {}

  async compute(question: string, key: ReportKey, report: Report, actor: Actor, request: ReportRequest): Promise<ReportResult> {
    const erasures = await this.unitOfWork.read(actor, erasuresSeen);
    const result = await this.readReport.read(report, actor, request);
    // What was erased since is not kept: the next caller computes it again.
    await this.unitOfWork.inTransaction(actor, async (tx) => {
      if (await holdErasuresSince(tx, erasures)) await this.cache.save(tx, question, key.name, result);
    });
    return result;
  }
}
