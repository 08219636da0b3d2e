import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems, CreatedAt, Edits, HasETag, IfMatch, INVALID_CONTENT } from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor, ExpectedState } from '#kernel';
import { UnitOfWork } from '#persistence';
import { TestSentView } from '../deliveries/deliveries.dto.js';
import { tooManyWebhooks, topicUnknown, urlInvalid, urlNotAllowed, urlUnreachable, webhookNotFound } from '../errors.js';
import { ChangeSubscription, RotateSecret } from './change-subscription.js';
import { RegisterSubscription } from './register-subscription.js';
import { SendTest } from './send-test.js';
import {
  ChangeWebhookBody,
  RegisterWebhookBody,
  RotateSecretBody,
  WebhookView,
  webhookView,
  WebhookWithSecretView,
  webhookWithSecretView,
} from './subscriptions.dto.js';
import { SubscriptionsQueries } from './subscriptions.queries.js';

@ApiTags('Webhooks')
@Access({ roles: ['TENANT_ADMIN'], everyProcess: true })
@Controller('api/v1/webhooks')
export class SubscriptionsController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly subscriptions: SubscriptionsQueries,
    private readonly registerSubscription: RegisterSubscription,
    private readonly changeSubscription: ChangeSubscription,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Subscriptions of the tenant' })
  @ApiOkResponse({ type: [WebhookView] })
  async list(@CurrentActor() actor: Actor): Promise<WebhookView[]> {
    const all = await this.unitOfWork.read(actor, (tx) => this.subscriptions.all(tx));
    return all.map(webhookView);
  }

  @Post()
  @ApiOperation({ summary: 'Subscribe a URL to topics; the answer shows the signing secret once' })
  @ApiCreatedResponse({ type: WebhookWithSecretView })
  @CreatedAt(({ id }: WebhookWithSecretView) => `/api/v1/webhooks/${id}`)
  @ApiProblems(urlInvalid, urlNotAllowed, urlUnreachable, topicUnknown, tooManyWebhooks)
  async register(@CurrentActor() actor: Actor, @Body() input: RegisterWebhookBody): Promise<WebhookWithSecretView> {
    return webhookWithSecretView(await this.registerSubscription.register(actor, input));
  }

  @Get(':id')
  @ApiOperation({ summary: 'One subscription' })
  @ApiOkResponse({ type: WebhookView })
  @ApiProblems(webhookNotFound)
  @HasETag()
  async get(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<WebhookView> {
    return webhookView(await this.unitOfWork.read(actor, (tx) => this.subscriptions.byId(tx, id)));
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Change URL, topics or activity' })
  @ApiOkResponse({ type: WebhookView })
  @ApiProblems(webhookNotFound, urlInvalid, urlNotAllowed, urlUnreachable, topicUnknown, INVALID_CONTENT)
  @HasETag()
  @Edits()
  async change(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Body() changes: ChangeWebhookBody,
    @IfMatch() expected: ExpectedState,
  ): Promise<WebhookView> {
    return webhookView(await this.changeSubscription.change(actor, id, changes, expected));
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a subscription; its deliveries stay readable' })
  @ApiNoContentResponse()
  @ApiProblems(webhookNotFound)
  @Edits()
  async remove(@CurrentActor() actor: Actor, @Param('id') id: string, @IfMatch() expected: ExpectedState): Promise<void> {
    await this.changeSubscription.remove(actor, id, expected);
  }
}

const DAY_SECONDS = 86_400;

@ApiTags('Webhooks')
@ApiProblems(webhookNotFound)
@Access({ roles: ['TENANT_ADMIN'], everyProcess: true })
@Controller('api/v1/webhooks/:id')
export class SubscriptionActionsController {
  constructor(
    private readonly sendTest: SendTest,
    private readonly rotateSecret: RotateSecret,
    private readonly changeSubscription: ChangeSubscription,
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
  @ApiOperation({ summary: 'A new signing secret; the old one stays valid for the grace period (a day by default)' })
  @ApiOkResponse({ type: WebhookWithSecretView })
  async rotate(@CurrentActor() actor: Actor, @Param('id') id: string, @Body() body?: RotateSecretBody): Promise<WebhookWithSecretView> {
    return webhookWithSecretView(await this.rotateSecret.rotate(actor, id, body?.gracePeriodSeconds ?? DAY_SECONDS));
  }

  @Post('resume')
  @HttpCode(200)
  @ApiOperation({ summary: 'End a pause by the service; what it held back is sent' })
  @ApiOkResponse({ type: WebhookView })
  async resume(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<WebhookView> {
    return webhookView(await this.changeSubscription.resume(actor, id));
  }
}
