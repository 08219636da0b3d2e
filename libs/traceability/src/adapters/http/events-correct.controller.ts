import { ApiProblems, HintsView, JsonObjectField, ObjectField, PreparedTxView, StringField, StringListField, plainJson } from '#http';
import { Access, CurrentActor, foreignSender, processOutOfScope, senderOf } from '#identity';
import type { Actor } from '#kernel';
import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { PreparedDeclaration } from '../../contract.js';
import { CORRECTORS } from '../../application/find-event.js';
import { PrepareSupersede } from '../../application/prepare-supersede.js';
import { PrepareVoid, type PreparedVoid } from '../../application/prepare-void.js';
import { eventNotFound, eventNotLanded, eventStandsInTheWay, eventVoided, notEntitled, notVoidable } from '../../domain/errors.js';
import { SupersedeBody, VoidBody } from './events-correct.dto.js';
import { PreparedEventView, preparedEventView } from './events-prepare.view.js';

/** An error declaration and the transaction that makes it true. */
export class DeclarationView {
  @StringField({ description: 'The event that is declared wrong', format: 'uuid' })
  eventId: string;

  @StringField({ description: 'CIDv1 of the stored error declaration' })
  ipfsCid: string;

  @StringField({ description: 'sha2-256 of it, as it goes on chain' })
  dataHash: string;

  @ObjectField(() => PreparedTxView, { description: 'Unsigned transaction' })
  preparedTx: PreparedTxView;

  @ObjectField(() => HintsView, { description: 'Advice for the sender' })
  hints: HintsView;

  @StringListField({ description: 'What to look at before signing' })
  warnings: string[];
}

export class PreparedVoidView extends DeclarationView {
  @JsonObjectField({ description: '`{ method, args }`: the call that was prepared' })
  metadata: object;
}

export const declarationView = ({ eventId, ipfsCid, dataHash, preparedTx, hints, warnings }: PreparedDeclaration): DeclarationView => ({
  eventId,
  ipfsCid,
  dataHash,
  preparedTx,
  hints,
  warnings: [...warnings],
});

const preparedVoidView = (prepared: PreparedVoid): PreparedVoidView =>
  Object.assign(declarationView(prepared), { metadata: { method: prepared.call.method, args: plainJson(prepared.call.args) } });

@ApiTags('events')
@Controller('api/v1/events')
@Access({ roles: CORRECTORS })
export class EventsCorrectController {
  constructor(
    private readonly prepareVoid: PrepareVoid,
    private readonly prepareSupersede: PrepareSupersede,
  ) {}

  @Post(':id/void/prepare')
  @HttpCode(200)
  @ApiOperation({ summary: 'Declare an event wrong and take back what it did: outputs are voided, inputs get back what they gave' })
  @ApiOkResponse({ type: PreparedVoidView })
  @ApiProblems(processOutOfScope, foreignSender, eventNotFound, eventNotLanded, eventVoided, notVoidable, eventStandsInTheWay)
  async void(@CurrentActor() actor: Actor, @Param('id') id: string, @Body() body: VoidBody): Promise<PreparedVoidView> {
    const { reason, correctiveEventIDs = [], metadata = {} } = body;
    const order = { eventId: id, reason, correctiveEventIDs, metadata, from: senderOf(actor, body.from) };
    return preparedVoidView(await this.prepareVoid.prepare(actor, order));
  }

  @Post(':id/supersede/prepare')
  @HttpCode(200)
  @ApiOperation({ summary: "Correct an event's content; what it did to lots stands" })
  @ApiOkResponse({ type: PreparedEventView })
  @ApiProblems(processOutOfScope, foreignSender, eventNotFound, eventNotLanded, eventVoided, notEntitled)
  async supersede(@CurrentActor() actor: Actor, @Param('id') id: string, @Body() body: SupersedeBody): Promise<PreparedEventView> {
    const { reason = 'incorrect_data', metadata } = body;
    const order = { eventId: id, reason, metadata, from: senderOf(actor, body.from) };
    return preparedEventView(await this.prepareSupersede.prepare(actor, order));
  }
}
