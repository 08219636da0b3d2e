import { ApiProblems, INVALID_CONTENT } from '#http';
import { Access, CurrentActor, tenantNotFound } from '#identity';
import type { Actor } from '#kernel';
import { tooManyWebhooks, urlInvalid, urlNotAllowed, urlUnreachable } from '#webhooks';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { epcisQueryNotFound, epcisSubscriptionNotFound } from '../errors.js';
import type { Json } from '../epcis/json.js';
import { EPCIS_HEADERS, type EpcisRequest, type HeaderReply, requireOwn, say } from '../repository/repository.dto.js';
import { CreateQuerySubscription } from './create-query-subscription.js';
import { FindQuerySubscription } from './find-query-subscription.js';
import type { QuerySubscription } from './query-subscription.js';

const FREE = { schema: { type: 'object', additionalProperties: true } } as const;

const viewOf = ({ id, queryName, webhookId, schedule, reportIfEmpty, createdAt, sentAt, nextDueAt }: QuerySubscription) => ({
  subscriptionID: id,
  queryName,
  webhookId,
  ...(schedule === null ? { stream: true } : { schedule: writtenSchedule(schedule), nextDueAt: nextDueAt!.toISOString() }),
  reportIfEmpty,
  createdAt: createdAt.toISOString(),
  sentAt: sentAt && sentAt.toISOString(),
});

const writtenSchedule = (schedule: NonNullable<QuerySubscription['schedule']>): object =>
  Object.fromEntries(Object.entries(schedule).map(([name, values]) => [name, values.join(',')]));

interface Place {
  readonly tenant: string;
  readonly queryName: string;
  readonly id: string;
}

/** Subscriptions to queries with a name (ISO/IEC 19987 §12.8): their results go to webhooks. */
@ApiTags('EPCIS')
@Controller('epcis/:tenant/queries/:queryName/subscriptions')
@Access({ roles: ['TENANT_ADMIN'], everyProcess: true })
@ApiParam({ name: 'tenant', description: 'Slug of your tenant' })
@ApiParam({ name: 'queryName', schema: { type: 'string' } })
export class EpcisSubscriptionsController {
  constructor(
    private readonly creation: CreateQuerySubscription,
    private readonly subscriptions: FindQuerySubscription,
  ) {}

  @Post()
  @ApiOperation({
    operationId: 'subscribeEpcisQuery',
    summary: 'Send new events that a query finds to a URL, at once or by a schedule',
    description:
      'The URL gets an EPCISQueryDocument with `subscriptionID`, signed like every webhook with the `secret`, which is shown once. Deliveries, retries, pauses: as of the webhook with `webhookId`.',
  })
  @ApiBody({
    schema: {
      type: 'object',
      description: '`dest`, and `stream: true` or a `schedule` (times in UTC); `reportIfEmpty`, `initialRecordTime`',
      additionalProperties: true,
    },
  })
  @ApiResponse({ status: 201, description: 'Subscribed; `Location` is the subscription', content: { 'application/json': FREE } })
  @ApiProblems(tenantNotFound, epcisQueryNotFound, INVALID_CONTENT, urlInvalid, urlNotAllowed, urlUnreachable, tooManyWebhooks)
  async create(
    @CurrentActor() actor: Actor,
    @Param() { tenant, queryName }: Pick<Place, 'tenant' | 'queryName'>,
    @Body() body: object,
    @Req() request: EpcisRequest,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<object> {
    requireOwn(actor, tenant);
    const { subscription, secret } = await this.creation.create(actor, queryName, body as Json, request.publicOrigin);
    say(reply, { ...EPCIS_HEADERS, location: `/epcis/${tenant}/queries/${queryName}/subscriptions/${subscription.id}` });
    return { ...viewOf(subscription), secret };
  }

  @Get()
  @ApiOperation({ operationId: 'listEpcisSubscriptions', summary: 'Subscriptions to a query, oldest first' })
  @ApiResponse({ status: 200, description: 'All of them, at most 100', content: { 'application/json': FREE } })
  @ApiProblems(tenantNotFound, epcisQueryNotFound)
  async list(@CurrentActor() actor: Actor, @Param('tenant') tenant: string, @Param('queryName') queryName: string): Promise<object> {
    requireOwn(actor, tenant);
    return { subscriptions: (await this.subscriptions.ofQuery(actor, queryName)).map(viewOf) };
  }

  @Get(':id')
  @ApiParam({ name: 'id', schema: { type: 'string' } })
  @ApiOperation({ operationId: 'readEpcisSubscription', summary: 'One subscription to a query' })
  @ApiResponse({ status: 200, description: 'The subscription', content: { 'application/json': FREE } })
  @ApiProblems(tenantNotFound, epcisSubscriptionNotFound)
  async one(@CurrentActor() actor: Actor, @Param() { tenant, queryName, id }: Place): Promise<object> {
    requireOwn(actor, tenant);
    return viewOf(await this.subscriptions.byId(actor, queryName, id));
  }

  @Delete(':id')
  @ApiParam({ name: 'id', schema: { type: 'string' } })
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteEpcisSubscription', summary: 'Delete a subscription, with its webhook' })
  @ApiNoContentResponse()
  @ApiProblems(tenantNotFound, epcisSubscriptionNotFound)
  async remove(@CurrentActor() actor: Actor, @Param() { tenant, queryName, id }: Place): Promise<void> {
    requireOwn(actor, tenant);
    await this.subscriptions.remove(actor, queryName, id);
  }
}
