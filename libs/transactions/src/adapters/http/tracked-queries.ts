import { ChainHead, ChainProfile } from '#chain';
import { type ListCursor, instantIn, listCursor, malformedRequest } from '#http';
import { type Actor, type Page, isUuid, pageFrom } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { NO_EFFECTS } from '../../domain/effects.js';
import { trackedNotFound } from '../../domain/errors.js';
import type { TrackedStatus, TrackedTransaction } from '../../domain/tracked-transaction.js';
import { LandedEffects, type TrackedFilter, type TrackedPlace, TrackedTransactions } from '../../ports.js';
import type { TrackedListQuery } from './transactions.dto.js';
import { type TrackedView, trackedView } from './transactions.view.js';

/** Trackings as they are read: with their effects and with confirmations up to the head of this moment. */
@Injectable()
export class TrackedQueries {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tracked: TrackedTransactions,
    private readonly effects: LandedEffects,
    private readonly chainHead: ChainHead,
    private readonly chain: ChainProfile,
  ) {}

  /** @throws DomainError 404 `tracked_transaction_not_found` */
  byId(actor: Actor, trackingId: string): Promise<TrackedView> {
    if (!isUuid(trackingId)) throw trackedNotFound(trackingId);
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      const tracked = await this.tracked.byId(tx, trackingId.toLowerCase());
      if (!tracked) throw trackedNotFound(trackingId);
      return (await this.views(tx, [tracked]))[0]!;
    });
  }

  /** Those that the principal gave to track itself: a key has its own. @throws DomainError 400 `malformed_request` */
  list(actor: Actor, { page, limit, cursor, ...query }: TrackedListQuery): Promise<Page<TrackedView>> {
    const filter = filterOf(query);
    const list = listCursor(actor.tenantId, 'tx', actor.kind, actor.id, filter.status, filter.type, filter.from, filter.to);
    const place = placeOf(page, cursor, list);
    return this.unitOfWork.inSnapshot(actor, async (tx) => {
      const { rows, counted } = await this.tracked.list(tx, actor, filter, place, limit);
      const last = rows.at(-1);
      const next = last && rows.length === limit ? list.after(last.submittedAt.toISOString(), last.id) : null;
      return pageFrom(await this.views(tx, rows), counted, { page, limit }, next);
    });
  }

  private async views(tx: TenantTx, rows: readonly TrackedTransaction[]): Promise<TrackedView[]> {
    const effects = await this.effects.of(
      tx,
      rows.map(({ txHash }) => txHash),
    );
    const { head } = await this.chainHead.position(tx);
    return rows.map((tracked) =>
      trackedView(tracked, {
        effects: effects.get(tracked.txHash) ?? NO_EFFECTS,
        head,
        requiredConfirmations: this.chain.confirmations,
      }),
    );
  }
}

function filterOf({ status, type, from, to }: Pick<TrackedListQuery, 'status' | 'type' | 'from' | 'to'>): TrackedFilter {
  const [begin, end] = [from === undefined ? null : instantIn(from, '/from'), to === undefined ? null : instantIn(to, '/to')];
  if (begin && end && begin > end)
    throw malformedRequest([{ pointer: '/from', code: 'from_after_to', message: '`from` lies after `to`.' }]);
  return {
    ...(status !== undefined && { status: status as TrackedStatus }),
    ...(type !== undefined && { type }),
    ...(begin && { from: begin }),
    ...(end && { to: end }),
  };
}

function placeOf(page: number, cursor: string | undefined, list: ListCursor): TrackedPlace {
  if (cursor === undefined) return { page };
  const [at, id] = list.place(cursor, ([time, after, ...rest]) => rest.length === 0 && isUuid(after) && !Number.isNaN(Date.parse(time!)));
  return { after: { submittedAt: new Date(at!), id: id! } };
}
