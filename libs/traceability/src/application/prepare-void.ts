import { Injectable } from '@nestjs/common';
import { type PreparedCall, TransactionPreparer } from '#chain';
import type { Actor, Hex } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Step } from '#tracing';
import { CallNotes } from '../contract.js';
import type { ChainEvent } from '../domain/chain-event.js';
import { type ErrorDeclaration, requireLeaf, requireVoidable, voidArguments } from '../domain/correction.js';
import { ChainEvents } from '../ports.js';
import { FindEvent } from './find-event.js';

export interface VoidOrder extends ErrorDeclaration {
  readonly eventId: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** EIP-55 sender, already checked against the actor; null when there is none. */
  readonly from: string | null;
}

export interface PreparedVoid extends PreparedCall {
  readonly eventId: string;
  readonly ipfsCid: string;
  readonly dataHash: Hex;
  readonly call: { readonly method: string; readonly args: Readonly<Record<string, unknown>> };
}

/** `POST /events/{id}/void/prepare`: an error declaration that takes back what an event did, leaf first (domain-decisions §2.5). */
@Injectable()
export class PrepareVoid {
  constructor(
    private readonly work: UnitOfWork,
    private readonly find: FindEvent,
    private readonly events: ChainEvents,
    private readonly notes: CallNotes,
    private readonly transactions: TransactionPreparer,
  ) {}

  /** @throws DomainError 404, 403, 409 `event_not_landed`, `event_voided`, `event_not_voidable`, `event_in_use`, 422 */
  @Step('prepare a void')
  async prepare(actor: Actor, order: VoidOrder): Promise<PreparedVoid> {
    const event = await this.work.inTransaction(actor, async (tx) => {
      const found = await this.find.byId(tx, actor, order.eventId);
      requireVoidable(found);
      await this.find.requireCorrective(tx, found, order.correctiveEventIDs);
      requireLeaf(await this.events.obstacles(tx, found));
      return found;
    });
    const { ipfsCid, dataHash } = await this.notes.store(actor, declarationOf(event, order));
    const call = { method: 'voidEvent', args: voidArguments(event, dataHash) };
    const prepared = await this.transactions.prepare({
      contract: event.contract!,
      from: order.from,
      method: call.method,
      args: Object.values(call.args),
    });
    const { reason, correctiveEventIDs } = order;
    await this.work.inTransaction(actor, (tx) =>
      this.events.declare(tx, { eventId: event.id, dataHash, reason, correctiveEventIDs, preparedBy: actor.id }),
    );
    return { ...prepared, warnings: [...warningsOf(event), ...prepared.warnings], eventId: event.id, ipfsCid, dataHash, call };
  }
}

const declarationOf = (event: ChainEvent, { reason, correctiveEventIDs, metadata, from }: VoidOrder) => ({
  contract: event.contract!,
  from,
  call: { action: 'void', eventId: event.id, errorDeclaration: { reason, correctiveEventIDs } },
  metadata,
});

/** First output 0: the event rode on a custody, retire or amend call (Header of contracts/src/TenantLots.sol). */
const warningsOf = (event: ChainEvent): string[] =>
  event.firstOutputId === 0n ? ['The event loses its standing; what its custody or retire call did stays done.'] : [];
