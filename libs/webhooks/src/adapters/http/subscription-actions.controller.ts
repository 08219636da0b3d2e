import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems } from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor } from '#kernel';
import { ResumeSubscription } from '../../application/resume-subscription.js';
import { RotateSecret } from '../../application/rotate-secret.js';
import { SendTest } from '../../application/send-test.js';
import { webhookNotFound } from '../../domain/errors.js';
import { RotateSecretBody } from './webhooks.dto.js';
import { TestSentView, WebhookView, WebhookWithSecretView, webhookView, webhookWithSecretView } from './webhooks.view.js';

const DAY_SECONDS = 86_400;

@ApiTags('webhooks')
@ApiProblems(webhookNotFound)
@Access({ roles: ['TENANT_ADMIN'] })
@Controller('api/v1/webhooks/:id')
export class SubscriptionActionsController {
  constructor(
    private readonly sendTest: SendTest,
    private readonly rotateSecret: RotateSecret,
    private readonly resumeSubscription: ResumeSubscription,
  ) {}

  @Post('test')
  @HttpCode(202)
  @ApiOperation({ summary: 'Send a `webhook.test` to this subscription alone' })
  @ApiAcceptedResponse({ type: TestSentView })
  async test(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<TestSentView> {
    return { deliveryId: await this.sendTest.send(actor, id) };
  }

  @Post('rotate-secret')
  @HttpCode(200)
  @ApiOperation({ summary: 'A new signing secret; the old one signs along for the grace period (a day by default)' })
  @ApiOkResponse({ type: WebhookWithSecretView })
  async rotate(@CurrentActor() actor: Actor, @Param('id') id: string, @Body() body?: RotateSecretBody): Promise<WebhookWithSecretView> {
    return webhookWithSecretView(await this.rotateSecret.rotate(actor, id, body?.gracePeriodSeconds ?? DAY_SECONDS));
  }

  @Post('resume')
  @HttpCode(200)
  @ApiOperation({ summary: 'Lift a pause by the service; what it held back goes out' })
  @ApiOkResponse({ type: WebhookView })
  async resume(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<WebhookView> {
    return webhookView(await this.resumeSubscription.resume(actor, id));
  }
}
