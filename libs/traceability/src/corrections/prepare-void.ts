import { Injectable } from '@nestjs/common';
import { type Actor, type Problem, type Role, invalidContent, isUuid, senderOf } from '#kernel';
import type { TenantTx } from '#persistence';
import { PrepareCall, type PreparedContractCall, type StoredContent, type PreparedDeclaration } from '#prepare';
import { Span } from '#tracing';
import { Corrections, type VoidRequest } from '../contract/preparation.js';
import type { CommittedRecord } from '../events/event-record.js';
import { CORRECTORS, FindEvent } from '../events/find-event.js';
import { requireLeaf, requireVoidable, voidArguments } from './correction.rules.js';
import { CorrectionQueries } from './corrections.queries.js';

interface VoidWithNote extends VoidRequest {
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface PreparedVoid extends PreparedContractCall, StoredContent {
  readonly eventId: string;
}

/** `POST /events/{id}/void/prepare`: an error declaration that undoes an event, leaf first (docs/spec/domain.md#event-record). */
@Injectable()
export class PrepareVoid extends Corrections {
  static readonly roles: readonly Role[] = CORRECTORS;

  constructor(
    private readonly prepareCall: PrepareCall,
    private readonly find: FindEvent,
    private readonly corrections: CorrectionQueries,
  ) {
    super();
  }

  override void(actor: Actor, request: VoidRequest): Promise<PreparedDeclaration> {
    return this.prepare(actor, { ...request, metadata: {} });
  }

  /** @throws DomainError 404, 403, 409 `event_not_landed`, `event_voided`, `event_not_voidable`, `event_in_use`, 422 */
  @Span('prepare a void')
  async prepare(actor: Actor, request: VoidWithNote): Promise<PreparedVoid> {
    const { reason, correctiveEventIDs, metadata, from } = request;
    const { found, calls, content } = await this.prepareCall.prepare<CommittedRecord>(actor, {
      roles: PrepareVoid.roles,
      from,
      examine: (tx) => this.examine(tx, actor, request),
      contractOf: (event) => event.contract!,
      note: (event) => ({ call: { action: 'void', eventId: event.id, errorDeclaration: { reason, correctiveEventIDs } }, metadata }),
      calls: (event, { dataHash }) => [{ method: 'voidEvent', args: voidArguments(event, dataHash) }],
      record: (tx, event, stored) =>
        this.corrections.declare(tx, {
          eventId: event.id,
          dataHash: stored!.dataHash,
          reason,
          correctiveEventIDs,
          preparedBy: actor.id,
          sender: senderOf(actor, from),
          orgId: actor.orgId,
        }),
    });
    const call = calls[0]!;
    return { ...call, ...content!, warnings: [...warningsOf(found), ...call.warnings], eventId: found.id };
  }

  private async examine(tx: TenantTx, actor: Actor, { eventId, correctiveEventIDs }: VoidRequest): Promise<CommittedRecord> {
    const event = await this.find.byId(tx, actor, eventId);
    requireVoidable(event);
    await this.requireCorrective(tx, event, correctiveEventIDs);
    requireLeaf(await this.corrections.obstacles(tx, event));
    return event;
  }

  /** @throws DomainError 422 for a corrective event that is unknown, not on chain, or the wrong event itself */
  private async requireCorrective(tx: TenantTx, event: CommittedRecord, ids: readonly string[]): Promise<void> {
    const landed = await this.corrections.landed(tx, ids.filter(isUuid));
    const problems = ids.flatMap((id, i): Problem[] => {
      const pointer = `/correctiveEventIDs/${i}`;
      if (id === event.id) return [{ pointer, code: 'corrects_itself', message: 'an event does not correct itself' }];
      if (ids.indexOf(id) < i) return [{ pointer, code: 'repeated', message: `event ${id} is named twice` }];
      return landed.has(id) ? [] : [{ pointer, code: 'event_not_found', message: `there is no event ${id} on chain` }];
    });
    if (problems.length > 0) throw invalidContent(problems);
  }
}

/** First output 0: the event was attached to a custody, retire or amend call (Header of contracts/src/TenantLots.sol). */
const warningsOf = (event: CommittedRecord): string[] =>
  event.firstOutputId === 0n ? ['The event no longer counts; what its custody or retire call did is not taken back.'] : [];
