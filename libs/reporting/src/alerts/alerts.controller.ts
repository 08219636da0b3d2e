import { ApiProblems, Edits, HasETag, IfMatch, INVALID_CONTENT, instantIn } from '#http';
import { Access, CurrentActor } from '#identity';
import { type Actor, beyondOwnGrants, type ExpectedState } from '#kernel';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AcknowledgeAlert } from './acknowledge-alert.js';
import { ChangeAlertLimits } from './change-alert-limits.js';
import { alertNotFound, muteInPast, ownOrganisationOnly } from '../errors.js';
import { REPORT_READERS } from '../reports/report.js';
import { AcknowledgeBody, AlertLimitsBody, AlertLimitsView, AlertView, alertView } from './alerts.dto.js';

/** Acknowledgements and limits; alerts are read as a report. */
@ApiTags('Reports')
@Controller('api/v1/reports/alerts')
export class AlertsController {
  constructor(
    private readonly acknowledgeAlert: AcknowledgeAlert,
    private readonly changeAlertLimits: ChangeAlertLimits,
  ) {}

  @Post(':alertId/ack')
  @HttpCode(200)
  @Access({ roles: ['ADMIN', 'COMPLIANCE', 'TENANT_ADMIN'] })
  @ApiOperation({ operationId: 'acknowledgeAlert', summary: 'Acknowledge an alert, and mute it until `muteUntil` if given' })
  @ApiOkResponse({ type: AlertView })
  @ApiProblems(alertNotFound, ownOrganisationOnly, beyondOwnGrants, muteInPast)
  async acknowledge(@CurrentActor() actor: Actor, @Param('alertId') id: string, @Body() body: AcknowledgeBody): Promise<AlertView> {
    const until = body.muteUntil === undefined ? null : instantIn(body.muteUntil, '/muteUntil');
    return alertView(await this.acknowledgeAlert.acknowledge(actor, id, body.note ?? null, until));
  }

  @Delete(':alertId/ack')
  @HttpCode(204)
  @Access({ roles: ['ADMIN', 'COMPLIANCE', 'TENANT_ADMIN'] })
  @ApiOperation({ operationId: 'withdrawAcknowledgement', summary: 'Withdraw the acknowledgement of an alert; it is unmuted too' })
  @ApiNoContentResponse()
  @ApiProblems(alertNotFound, ownOrganisationOnly, beyondOwnGrants)
  withdraw(@CurrentActor() actor: Actor, @Param('alertId') id: string): Promise<void> {
    return this.acknowledgeAlert.withdraw(actor, id);
  }

  @Get('limits')
  @Access({ roles: REPORT_READERS })
  @ApiOperation({ operationId: 'getAlertLimits', summary: 'The limits of alerts' })
  @ApiOkResponse({ type: AlertLimitsView })
  @HasETag()
  limits(@CurrentActor() actor: Actor): Promise<AlertLimitsView> {
    return this.changeAlertLimits.read(actor);
  }

  @Patch('limits')
  @Access({ roles: ['TENANT_ADMIN'], everyProcess: true })
  @ApiOperation({ operationId: 'changeAlertLimits', summary: 'Change limits; everything is evaluated again' })
  @ApiOkResponse({ type: AlertLimitsView })
  @ApiProblems(INVALID_CONTENT)
  @HasETag()
  @Edits()
  setLimits(
    @CurrentActor() actor: Actor,
    @Body() { limits }: AlertLimitsBody,
    @IfMatch() expected: ExpectedState,
  ): Promise<AlertLimitsView> {
    return this.changeAlertLimits.change(actor, limits, expected);
  }
}
