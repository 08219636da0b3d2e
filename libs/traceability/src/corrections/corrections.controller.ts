import { ApiProblems, serviceBusy } from '#http';
import { CurrentActor } from '#identity';
import { type Actor, foreignSender, processOutOfScope } from '#kernel';
import { Prepares, PreparedEventView, preparedEventView } from '#prepare';
import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PrepareSupersede } from './prepare-supersede.js';
import { PrepareVoid } from './prepare-void.js';
import { eventNotFound, eventNotLanded, eventInUse, eventVoided, notEntitled, notVoidable } from '../errors.js';
import { PreparedVoidView, SupersedeBody, VoidBody, preparedVoidView } from './corrections.dto.js';

@ApiTags('Events')
@Controller('api/v1/events')
export class EventsCorrectController {
  constructor(
    private readonly prepareVoid: PrepareVoid,
    private readonly prepareSupersede: PrepareSupersede,
  ) {}

  @Post(':id/void/prepare')
  @Prepares(PrepareVoid)
  @ApiOperation({ summary: 'Declare an event wrong and undo it: outputs are voided, inputs get back what the event took' })
  @ApiOkResponse({ type: PreparedVoidView })
  @ApiProblems(processOutOfScope, foreignSender, eventNotFound, eventNotLanded, eventVoided, notVoidable, eventInUse)
  async void(@CurrentActor() actor: Actor, @Param('id') id: string, @Body() body: VoidBody): Promise<PreparedVoidView> {
    const { reason, correctiveEventIDs = [], metadata = {}, from } = body;
    return preparedVoidView(await this.prepareVoid.prepare(actor, { eventId: id, reason, correctiveEventIDs, metadata, from }));
  }

  @Post(':id/supersede/prepare')
  @Prepares(PrepareSupersede)
  @ApiOperation({ summary: "Correct an event's content; what it did to lots is kept" })
  @ApiOkResponse({ type: PreparedEventView })
  @ApiProblems(processOutOfScope, foreignSender, eventNotFound, eventNotLanded, eventVoided, notEntitled, serviceBusy)
  async supersede(@CurrentActor() actor: Actor, @Param('id') id: string, @Body() body: SupersedeBody): Promise<PreparedEventView> {
    const { reason = 'incorrect_data', metadata, from } = body;
    return preparedEventView(await this.prepareSupersede.prepare(actor, { eventId: id, reason, metadata, from }));
  }
}
