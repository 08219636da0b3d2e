import type { PreparedCall } from '#chain';
import { IntegerField, JsonObjectField, ObjectField, StringField, StringListField, Access, itemProblem } from '#http';
import { DomainError } from '#kernel';
import { HttpCode, applyDecorators } from '@nestjs/common';
import { HintsView, PreparedTxView } from './prepared-tx.dto.js';
import type { CallRoles } from './contract-call.js';
import type { PreparedDeclaration, PreparedEvent } from './prepare-call.js';

/** What every prepared call answers with (docs/spec/service.md#prepared-transaction). */
export class PreparedCallView {
  @ObjectField(() => PreparedTxView, { description: 'The unsigned transaction' })
  preparedTx: PreparedTxView;

  @ObjectField(() => HintsView, { description: 'Advice for the sender' })
  hints: HintsView;

  @StringListField({ description: 'What to look at before signing' })
  warnings: string[];
}

/** @param own warnings of the context, before those of the chain */
export const preparedCallView = (
  { preparedTx, hints, warnings }: PreparedCall,
  own: readonly string[] = [],
): Pick<PreparedCallView, keyof PreparedCallView> => ({
  preparedTx,
  hints,
  warnings: [...own, ...warnings],
});

/** An error declaration and the transaction that makes it true. */
export class DeclarationView extends PreparedCallView {
  @StringField({ description: 'The event that is declared wrong', format: 'uuid' })
  eventId: string;

  @StringField({ description: 'CIDv1 of the stored error declaration' })
  ipfsCid: string;

  @StringField({ description: 'sha2-256 of it, as it goes on chain' })
  dataHash: string;
}

export const declarationView = ({ eventId, ipfsCid, dataHash, ...call }: PreparedDeclaration): DeclarationView => ({
  eventId,
  ipfsCid,
  dataHash,
  ...preparedCallView(call),
});

/** Prepared event of the docs/spec/service.md#prepared-transaction, with additive fields of docs/spec/api.md#events-and-transactions. */
export class PreparedEventView extends PreparedCallView {
  @StringField({ description: 'Id of the event, known before it lands', format: 'uuid' })
  eventId: string;

  @StringField({ description: 'CIDv1 (raw, sha2-256) of the stored canonical content' })
  ipfsCid: string;

  @StringField({ description: 'TLC of the main output, given or generated', nullable: true })
  outputTlc: string | null;

  @StringField({ description: 'sha2-256 of the stored content, as it goes on chain' })
  dataHash: string;
}

export const preparedEventView = ({ eventId, ipfsCid, outputTlc, dataHash, ...call }: PreparedEvent): PreparedEventView => ({
  eventId,
  ipfsCid,
  outputTlc,
  dataHash,
  ...preparedCallView(call),
});

export class BatchItemView {
  @IntegerField({ description: 'Place in the request, from 0' })
  index: number;

  @IntegerField({ description: 'HTTP status that a request of its own would have had' })
  status: number;

  @ObjectField(() => PreparedEventView, { description: 'What was prepared; null when it was refused', nullable: true })
  event: PreparedEventView | null;

  @JsonObjectField({ description: 'Why it was refused (RFC 9457); pointers go into the item', nullable: true })
  problem: object | null;
}

export const batchItemView = (answer: PreparedEvent | DomainError, index: number): BatchItemView =>
  answer instanceof DomainError
    ? { index, status: answer.status, event: null, problem: itemProblem(answer) }
    : { index, status: 200, event: preparedEventView(answer), problem: null };

/** A route that prepares a call: who may ask is what the use case says of itself. */
export const Prepares = ({
  roles,
  bearerOnly,
  everyProcess,
}: {
  readonly roles: CallRoles;
  readonly bearerOnly?: true;
  readonly everyProcess?: true;
}): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    Access(roles === 'member' ? 'member' : { roles, ...(bearerOnly && { bearerOnly }), ...(everyProcess && { everyProcess }) }),
  );
