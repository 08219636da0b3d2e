import { ChainHead } from '#chain';
import { Clock, EngineUnavailable } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { holdErasures } from '#sealed-contents';
import { Injectable } from '@nestjs/common';
import { AlertStore, EvaluationQueries } from './evaluations.queries.js';
import { RuleContextQueries } from './rule-context.queries.js';
import { RULES, type SourceName } from './rules/catalogue.js';
import type { Rule, RuleContext } from './rules/rule.js';
import { type AlertSource, AlertSources } from './sources/source.queries.js';

/** Judges one batch of one source: what is new, and a part of the open alerts, since time passes and facts are taken back. */
@Injectable()
export class EvaluateSource {
  constructor(
    private readonly sources: AlertSources,
    private readonly evaluations: EvaluationQueries,
    private readonly ruleContext: RuleContextQueries,
    private readonly store: AlertStore,
    private readonly chainHead: ChainHead,
  ) {}

  get names(): readonly SourceName[] {
    return [...this.sources.byName.keys()];
  }

  /** @param withOpen whether open alerts are judged again. @returns whether there is more */
  async evaluate(tx: TenantTx, name: SourceName, now: Date, withOpen: boolean): Promise<boolean> {
    // During a reindex facts are missing: alerts would be resolved, and return without their acknowledgement.
    if (await this.chainHead.isRebuilding(tx)) return false;
    const context = await this.ruleContext.read(tx, now);
    const source = this.sources.byName.get(name)!;
    const cursor = await this.evaluations.cursor(tx, name, context.digest);
    const candidates = await source.candidates(tx, { place: cursor.place, ...(await this.chainHead.position(tx)) }, context);
    const open = withOpen ? await this.store.openSubjects(tx, name, cursor.openAfter, source.openPerRun) : [];
    const ids = [...new Set([...candidates.ids, ...open])];
    if (ids.length > 0) await this.judge(tx, name, source, ids, context);
    const openAfter = withOpen ? nextOpen(open, source.openPerRun) : cursor.openAfter;
    await this.evaluations.saveCursor(tx, name, context.digest, { place: candidates.place, openAfter });
    return candidates.more;
  }

  private async judge(tx: TenantTx, name: SourceName, source: AlertSource, ids: readonly string[], context: RuleContext): Promise<void> {
    const facts = await source.facts(tx, ids, context);
    const rules = RULES[name] as readonly Rule<unknown>[];
    const findings = facts.flatMap((one) => rules.flatMap((rule) => rule.judge(one, context)));
    await source.remember(tx, ids, facts);
    await this.store.save(tx, name, [...ids, ...source.alsoJudged(facts)], findings, context.now);
  }
}

/** After the last subject it begins again. */
const nextOpen = (open: readonly string[], limit: number): string | null => (open.length < limit ? null : open.at(-1)!);

/** Batches of one source in one run: other sources and other tenants must not wait. */
const BATCHES = 20;
const LEASE_MS = 5 * 60_000;
/** The pause after a run is this many times its duration, so that a large tenant does not keep the database busy. */
const PAUSE_FACTOR = 5;

/**
 * Evaluates the alerts of the tenants that are due. Every batch is a transaction that saves its cursor, so a process may die at any time.
 */
@Injectable()
export class EvaluateAlerts {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly evaluations: EvaluationQueries,
    private readonly evaluateSource: EvaluateSource,
    private readonly chainHead: ChainHead,
    private readonly clock: Clock,
  ) {}

  /** @returns the tenant that was evaluated; null if none is due */
  async evaluateNext(everyMs: number, stop: AbortSignal): Promise<string | null> {
    const tenantId = await this.unitOfWork.writeAsSystem((tx) => this.evaluations.acquire(tx, this.clock.now(), LEASE_MS));
    if (tenantId !== null) await this.evaluate(tenantId, everyMs, stop);
    return tenantId;
  }

  /**
   * A source that fails does not stop the others; the run is saved as incomplete.
   * @param stop ends the run before its next batch
   * @throws EngineUnavailable at once; the failure of a source after the run
   */
  async evaluate(tenantId: string, everyMs: number, stop = new AbortController().signal): Promise<void> {
    const began = performance.now();
    const failures: unknown[] = [];
    let complete = true;
    for (const name of this.evaluateSource.names) {
      const done = await this.evaluateBatches({ tenantId }, name, stop).catch((error: unknown) => {
        if (error instanceof EngineUnavailable) throw error;
        failures.push(error);
        return false;
      });
      complete &&= done;
    }
    await this.unitOfWork.inTransaction({ tenantId }, async (tx) => {
      const at = this.clock.now();
      await this.evaluations.countActiveLots(tx, at);
      const tookMs = Math.round(performance.now() - began);
      // Only work that had no time is continued without the usual pause.
      const pause = complete || failures.length > 0 ? Math.max(everyMs, PAUSE_FACTOR * tookMs) : tookMs;
      const { head } = await this.chainHead.position(tx);
      await this.evaluations.saveRun(tx, { at, block: head, tookMs, complete, nextAt: new Date(at.getTime() + pause) });
    });
    if (failures.length > 0) throw new Error(`alerts of tenant ${tenantId} were not all evaluated`, { cause: failures[0] });
  }

  /** @returns whether nothing is left */
  private async evaluateBatches(scope: { readonly tenantId: string }, name: SourceName, stop: AbortSignal): Promise<boolean> {
    for (let batch = 0; batch < BATCHES && !stop.aborted; batch++) {
      const more = await this.unitOfWork.inTransaction(scope, async (tx) => {
        await holdErasures(tx);
        return this.evaluateSource.evaluate(tx, name, this.clock.now(), batch === 0);
      });
      if (!more) return true;
    }
    return false;
  }
}
