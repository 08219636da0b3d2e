import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems } from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor } from '#kernel';
import { UnitOfWork } from '#persistence';
import { ChangeSubscription } from '../../application/change-subscription.js';
import { RegisterSubscription } from '../../application/register-subscription.js';
import { RemoveSubscription } from '../../application/remove-subscription.js';
import { tooManyWebhooks, topicUnknown, urlInvalid, urlNotAllowed, urlUnreachable, webhookNotFound } from '../../domain/errors.js';
import { TOPIC_CATALOGUE } from '../../domain/topic-catalogue.js';
import { Subscriptions } from '../../ports.js';
import { ChangeWebhookBody, RegisterWebhookBody } from './webhooks.dto.js';
import { TopicView, WebhookView, webhookView, WebhookWithSecretView, webhookWithSecretView } from './webhooks.view.js';

@ApiTags('webhooks')
@Access({ roles: ['TENANT_ADMIN'] })
@Controller('api/v1/webhooks')
export class WebhooksController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly subscriptions: Subscriptions,
    private readonly registerSubscription: RegisterSubscription,
    private readonly changeSubscription: ChangeSubscription,
    private readonly removeSubscription: RemoveSubscription,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Subscriptions of the tenant' })
  @ApiOkResponse({ type: [WebhookView] })
  async list(@CurrentActor() actor: Actor): Promise<WebhookView[]> {
    const all = await this.unitOfWork.inTransaction(actor, (tx) => this.subscriptions.all(tx));
    return all.map(webhookView);
  }

  @Get('topics')
  @ApiOperation({ summary: 'Topics with the JSON Schema of their bodies and an example of each' })
  @ApiOkResponse({ type: [TopicView] })
  topics(): readonly TopicView[] {
    return TOPIC_CATALOGUE;
  }

  @Post()
  @ApiOperation({ summary: 'Subscribe a URL to topics; the answer shows the signing secret once' })
  @ApiCreatedResponse({ type: WebhookWithSecretView })
  @ApiProblems(urlInvalid, urlNotAllowed, urlUnreachable, topicUnknown, tooManyWebhooks)
  async register(@CurrentActor() actor: Actor, @Body() input: RegisterWebhookBody): Promise<WebhookWithSecretView> {
    return webhookWithSecretView(await this.registerSubscription.register(actor, input));
  }

  @Get(':id')
  @ApiOperation({ summary: 'One subscription' })
  @ApiOkResponse({ type: WebhookView })
  @ApiProblems(webhookNotFound)
  async get(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<WebhookView> {
    return webhookView(await this.unitOfWork.inTransaction(actor, (tx) => this.subscriptions.byId(tx, id)));
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Change URL, topics or activity' })
  @ApiOkResponse({ type: WebhookView })
  @ApiProblems(webhookNotFound, urlInvalid, urlNotAllowed, urlUnreachable, topicUnknown)
  async change(@CurrentActor() actor: Actor, @Param('id') id: string, @Body() changes: ChangeWebhookBody): Promise<WebhookView> {
    return webhookView(await this.changeSubscription.change(actor, id, changes));
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a subscription; its deliveries stay readable' })
  @ApiNoContentResponse()
  @ApiProblems(webhookNotFound)
  async remove(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<void> {
    await this.removeSubscription.remove(actor, id);
  }
}
