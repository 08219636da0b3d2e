import { ApiProblems } from '#http';
import { Access, CurrentActor, foreignSender, processOutOfScope, senderOf } from '#identity';
import { type Actor, ROLES } from '#kernel';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PrepareEvent } from '../../application/prepare-event.js';
import { ValidateEvent } from '../../application/validate-event.js';
import { inputNotFinal, tlcTaken } from '../../domain/errors.js';
import { EventBody, submissionOf } from './events-prepare.dto.js';
import { PreparedEventView, VerdictView, preparedEventView, verdictView } from './events-prepare.view.js';

const INVALID_CONTENT = { code: 'invalid_content', status: 422 };

@ApiTags('events')
@Controller('api/v1/events')
@Access({ roles: ROLES })
export class EventsPrepareController {
  constructor(
    private readonly validateEvent: ValidateEvent,
    private readonly prepareEvent: PrepareEvent,
  ) {}

  @Post('validate')
  @HttpCode(200)
  @ApiOperation({ summary: 'Say what is wrong with an event, or worth knowing about it; nothing is stored' })
  @ApiBody({ type: EventBody })
  @ApiOkResponse({ type: VerdictView })
  @ApiProblems(processOutOfScope, foreignSender)
  // Any JSON object: what is missing or unknown in it is part of the verdict (api-decisions §3).
  async validate(@CurrentActor() actor: Actor, @Body() body: object): Promise<VerdictView> {
    return verdictView(await this.validateEvent.validate(actor, body as Record<string, unknown>));
  }

  @Post('prepare')
  @HttpCode(200)
  @ApiOperation({ summary: 'Validate an event, store its canonical metadata and get the unsigned transaction' })
  @ApiOkResponse({ type: PreparedEventView })
  @ApiProblems(processOutOfScope, foreignSender, tlcTaken, inputNotFinal, INVALID_CONTENT)
  async prepare(@CurrentActor() actor: Actor, @Body() body: EventBody): Promise<PreparedEventView> {
    return preparedEventView(await this.prepareEvent.prepare(actor, submissionOf(body, senderOf(actor, body.from))));
  }
}
