import { Injectable } from '@nestjs/common';
import { type Actor, Clock, type Role, fromMicro, invalidContent, newId, toMicro } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { Lineage, Tracebacks } from '#traceability';
import { type AskedHolder, AskedHolders } from '../contract.js';
import { notTheHolder, recallIsOver, recallNotFound } from '../errors.js';
import { WHOLE_REACH } from '../impact/assess-impact.js';
import { isToFind } from '../impact/impact.rules.js';
import {
  type Acknowledgement,
  type LotAnswer,
  type LotState,
  MOST_ANSWERS,
  type ReachedLot,
  answeredStates,
  holdersOf,
  isSame,
  problemsOf,
  statesOf,
  tooManyAnswers,
} from './acknowledgement.js';
import { AcknowledgementQueries, type Asking } from './acknowledgements.queries.js';
import { PublishAcknowledgements } from './publish-acknowledgements.js';

/** The lots about which a recall asks, and whether it reaches more than could be walked. */
interface AskedLots {
  readonly lots: readonly ReachedLot[];
  readonly truncated: boolean;
}

/** Finds the lots of which holders have to say what they did: those of which something is left or left the supply chain. */
@Injectable()
export class FindAskedLots {
  constructor(
    private readonly lineage: Lineage,
    private readonly tracebacks: Tracebacks,
  ) {}

  async find(tx: TenantTx, { roots }: Asking): Promise<AskedLots> {
    if (roots.length === 0) return { lots: [], truncated: false };
    const reaches = [...(await this.lineage.reachOfEach(tx, roots, WHOLE_REACH)).values()];
    const ids = [...new Set([...roots, ...reaches.flatMap(({ lots }) => lots)])];
    const known = await this.tracebacks.of(tx, ids, null);
    return { lots: known.filter(isToFind), truncated: reaches.some(({ truncated }) => truncated) };
  }
}

/** What holders said of the lots of a recall or a drill. A recall that is over asks nobody: of it, the answers that were given. */
@Injectable()
export class FindAnswers {
  constructor(
    private readonly queries: AcknowledgementQueries,
    private readonly askedLots: FindAskedLots,
    private readonly tracebacks: Tracebacks,
  ) {}

  async of(tx: TenantTx, asking: Asking): Promise<{ readonly states: readonly LotState[]; readonly truncated: boolean }> {
    const latest = await this.queries.latest(tx, asking.id, null);
    if (asking.roots.length === 0)
      return { states: answeredStates(await this.tracebacks.of(tx, [...latest.keys()], null), latest), truncated: false };
    const { lots, truncated } = await this.askedLots.find(tx, asking);
    return { states: statesOf(lots, latest), truncated };
  }
}

@Injectable()
export class FindAskedHolders extends AskedHolders {
  constructor(
    private readonly queries: AcknowledgementQueries,
    private readonly askedLots: FindAskedLots,
  ) {
    super();
  }

  override async of(tx: TenantTx, id: string): Promise<readonly AskedHolder[]> {
    const asking = await this.queries.asking(tx, id);
    if (!asking) return [];
    const { lots } = await this.askedLots.find(tx, asking);
    return holdersOf(statesOf(lots, await this.queries.latest(tx, id, null)));
  }
}

/** `POST /recalls/{id}/acknowledgements`: what the holder of some lots did with them. */
@Injectable()
export class AcknowledgeRecall {
  /** Of the holder, as for its custody. */
  static readonly roles: readonly Role[] = ['OPERATOR', 'ADMIN', 'TENANT_ADMIN'];

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly queries: AcknowledgementQueries,
    private readonly askedLots: FindAskedLots,
    private readonly publication: PublishAcknowledgements,
    private readonly clock: Clock,
  ) {}

  /**
   * All lots, or none. Who says the same again changes nothing.
   * @returns how many lots have another answer now
   * @throws DomainError 404 `recall_not_found`, 409 `recall_is_over`, 422 `invalid_content`, 403 `not_the_holder`
   */
  acknowledge(actor: Actor, id: string, answers: readonly LotAnswer[]): Promise<number> {
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      await this.queries.lock(tx, id);
      const asking = await this.queries.asking(tx, id);
      if (!asking) throw recallNotFound(id);
      if (asking.roots.length === 0) throw recallIsOver(id);
      const reached = new Map((await this.askedLots.find(tx, asking)).lots.map((lot) => [lot.tokenId, lot]));
      const problems = problemsOf(answers, reached);
      if (problems.length > 0) throw invalidContent(problems);
      const foreign = answers.flatMap(({ tokenId }, i) => (actor.wallets.includes(reached.get(tokenId)!.custodian) ? [] : [i]));
      if (foreign.length > 0) throw notTheHolder(foreign);
      const latest = await this.queries.latest(
        tx,
        id,
        answers.map(({ tokenId }) => tokenId),
      );
      const at = this.clock.now();
      const added = answers
        .map((answer) => acknowledgementOf(actor, answer, reached.get(answer.tokenId)!, at))
        .filter((next) => !isSame(latest.get(next.tokenId), next));
      const often = await this.queries.answered(tx, id, added, MOST_ANSWERS);
      const repeated = answers.flatMap(({ tokenId }, i) => (often.has(tokenId) ? [tooManyAnswers(i, tokenId)] : []));
      if (repeated.length > 0) throw invalidContent(repeated);
      await this.queries.add(tx, id, added);
      await this.publication.publish(tx, asking, added, reached);
      return added.length;
    });
  }
}

const acknowledgementOf = (
  actor: Actor,
  { tokenId, state, quantity }: LotAnswer,
  { custodian }: ReachedLot,
  at: Date,
): Acknowledgement => ({
  id: newId(),
  tokenId,
  holder: custodian,
  orgId: actor.orgId,
  state,
  quantity: quantity && fromMicro(toMicro(quantity.value)!),
  uom: quantity && quantity.uom,
  by: actor.id,
  at,
});
