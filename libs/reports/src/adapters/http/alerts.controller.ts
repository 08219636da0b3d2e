import { ApiProblems, instantIn } from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor } from '#kernel';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AcknowledgeAlert } from '../../application/acknowledge-alert.js';
import { SetAlertLimits } from '../../application/set-alert-limits.js';
import { alertNotFound, muteInPast, ownOrganisationOnly } from '../../domain/errors.js';
import { REPORT_READERS } from '../reports/access.js';
import { AlertView, alertView } from './alert.view.js';
import { AcknowledgeBody, AlertLimitsBody, AlertLimitsView } from './alerts.dto.js';

/** What is done about alerts; they are read as a report. */
@ApiTags('reports')
@Controller('api/v1/reports/alerts')
export class AlertsController {
  constructor(
    private readonly acknowledgeAlert: AcknowledgeAlert,
    private readonly setAlertLimits: SetAlertLimits,
  ) {}

  @Post(':alertId/ack')
  @HttpCode(200)
  @Access({ roles: ['ADMIN', 'COMPLIANCE', 'TENANT_ADMIN'] })
  @ApiOperation({ summary: 'Take note of an alert, and mute it for a while where `muteUntil` is given' })
  @ApiOkResponse({ type: AlertView })
  @ApiProblems(alertNotFound, ownOrganisationOnly, muteInPast)
  async acknowledge(@CurrentActor() actor: Actor, @Param('alertId') id: string, @Body() body: AcknowledgeBody): Promise<AlertView> {
    const until = body.muteUntil === undefined ? null : instantIn(body.muteUntil, '/muteUntil');
    return alertView(await this.acknowledgeAlert.acknowledge(actor, id, body.note ?? null, until));
  }

  @Delete(':alertId/ack')
  @HttpCode(204)
  @Access({ roles: ['ADMIN', 'COMPLIANCE', 'TENANT_ADMIN'] })
  @ApiOperation({ summary: 'Take the acknowledgement of an alert back; it is no longer muted either' })
  @ApiNoContentResponse()
  @ApiProblems(alertNotFound, ownOrganisationOnly)
  takeBack(@CurrentActor() actor: Actor, @Param('alertId') id: string): Promise<void> {
    return this.acknowledgeAlert.takeBack(actor, id);
  }

  @Get('limits')
  @Access({ roles: REPORT_READERS })
  @ApiOperation({ summary: 'The limits by which alerts are told' })
  @ApiOkResponse({ type: AlertLimitsView })
  limits(@CurrentActor() actor: Actor): Promise<AlertLimitsView> {
    return this.setAlertLimits.read(actor);
  }

  @Patch('limits')
  @Access({ roles: ['TENANT_ADMIN'] })
  @ApiOperation({ summary: 'Set limits; everything is looked at anew under them' })
  @ApiOkResponse({ type: AlertLimitsView })
  setLimits(@CurrentActor() actor: Actor, @Body() { limits }: AlertLimitsBody): Promise<AlertLimitsView> {
    return this.setAlertLimits.set(actor, limits);
  }
}
