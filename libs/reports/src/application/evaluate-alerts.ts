import { ChainHead } from '#chain';
import { Clock, EngineUnavailable } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { AlertBook, AlertCircumstances, AlertRounds, type AlertSource, AlertSources, type SourceName } from '../alerts.ports.js';
import type { Circumstances } from '../domain/alerts/circumstances.js';
import { RULES } from '../domain/alerts/catalogue.js';
import type { Rule } from '../domain/alerts/rule.js';
import { NarrateAlerts } from './narrate-alerts.js';

/** Batches of one source in one round: the others, and other tenants, must have their turn. */
const BATCHES = 20;
const LEASE_MS = 5 * 60_000;
/** Alerts of one statement. */
const FORGOTTEN = 5_000;
const DAY_MS = 86_400_000;
/** A part of the time is for rounds: a large tenant is looked at less often, and no database is kept busy by it. */
const REST = 5;

/**
 * Goes around the tenants: what is new about each is judged, and what stands is judged again a part at a time, since time passes and
 * facts are taken back. Every batch is a transaction of its own and remembers how far it came, so a process may die anywhere.
 */
@Injectable()
export class EvaluateAlerts {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sources: AlertSources,
    private readonly circumstances: AlertCircumstances,
    private readonly book: AlertBook,
    private readonly rounds: AlertRounds,
    private readonly chainHead: ChainHead,
    private readonly narrateAlerts: NarrateAlerts,
    private readonly clock: Clock,
  ) {}

  /** One tenant that is due. @returns whether there was one */
  async evaluateNext(everyMs: number, leaving: AbortSignal): Promise<boolean> {
    const tenantId = await this.unitOfWork.asSystem((tx) => this.rounds.take(tx, this.clock.now(), LEASE_MS));
    if (tenantId === null) return false;
    await this.evaluate(tenantId, everyMs, leaving);
    await this.narrateAlerts.narrate(tenantId);
    return true;
  }

  /**
   * A source that fails keeps none of the others waiting, round after round: what it would have found is left over.
   * @param leaving ends the round before its next batch
   * @throws EngineUnavailable at once; what a source failed with, after the round
   */
  async evaluate(tenantId: string, everyMs: number, leaving = new AbortController().signal): Promise<void> {
    const began = performance.now();
    const failures: unknown[] = [];
    let complete = true;
    for (const name of this.sources.names) {
      const done = await this.follow({ tenantId }, name, leaving).catch((error: unknown) => {
        if (error instanceof EngineUnavailable) throw error;
        failures.push(error);
        return false;
      });
      complete &&= done;
    }
    await this.unitOfWork.inTransaction({ tenantId }, async (tx) => {
      const at = this.clock.now();
      await this.rounds.countLots(tx, at);
      const tookMs = Math.round(performance.now() - began);
      // Only what had no time is gone on with at once.
      const rest = complete || failures.length > 0 ? Math.max(everyMs, REST * tookMs) : tookMs;
      const { head } = await this.chainHead.position(tx);
      await this.rounds.done(tx, { at, block: head, tookMs, complete, nextAt: new Date(at.getTime() + rest) });
    });
    if (failures.length > 0) throw new Error(`alerts of tenant ${tenantId} are not all judged`, { cause: failures[0] });
  }

  /** Alerts that are over are kept so long that what comes back is known. */
  async forget(days: number, leaving: AbortSignal): Promise<void> {
    const before = new Date(this.clock.now().getTime() - days * DAY_MS);
    for (let forgotten = FORGOTTEN; forgotten === FORGOTTEN && !leaving.aborted; )
      forgotten = await this.unitOfWork.asSystem((tx) => this.book.forget(tx, before, FORGOTTEN));
  }

  /** @returns whether nothing is left over */
  private async follow(scope: { readonly tenantId: string }, name: SourceName, leaving: AbortSignal): Promise<boolean> {
    for (let batch = 0; batch < BATCHES && !leaving.aborted; batch++) {
      const more = await this.unitOfWork.inTransaction(scope, (tx) => this.step(tx, name, batch === 0));
      if (!more) return true;
    }
    return false;
  }

  private async step(tx: TenantTx, name: SourceName, again: boolean): Promise<boolean> {
    // What is not projected yet is not gone: alerts would end, and come again with nobody having taken note of them.
    if (await this.chainHead.isMadeAnew(tx)) return false;
    const at = await this.circumstances.read(tx, this.clock.now());
    const source = this.sources.of(name);
    const walk = await this.rounds.walk(tx, name, at.digest);
    const fresh = await source.fresh(tx, { place: walk.place, ...(await this.chainHead.position(tx)) }, at);
    const standing = again ? await this.book.standing(tx, name, walk.againAfter, source.atOnce) : [];
    const ids = [...new Set([...fresh.ids, ...standing])];
    if (ids.length > 0) await this.judge(tx, name, source, ids, at);
    const againAfter = again ? againFrom(standing, source.atOnce) : walk.againAfter;
    await this.rounds.walked(tx, name, at.digest, { place: fresh.place, againAfter });
    return fresh.more;
  }

  private async judge(tx: TenantTx, name: SourceName, source: AlertSource, ids: readonly string[], at: Circumstances): Promise<void> {
    const facts = await source.facts(tx, ids, at);
    const rules = RULES[name] as readonly Rule<unknown>[];
    const findings = facts.flatMap((one) => rules.flatMap((rule) => rule.judge(one, at)));
    await source.remember(tx, ids, facts);
    await this.book.settle(tx, name, [...ids, ...source.covered(facts)], findings, at.now);
  }
}

/** After the last one it begins anew. */
const againFrom = (standing: readonly string[], atOnce: number): string | null => (standing.length < atOnce ? null : standing.at(-1)!);
