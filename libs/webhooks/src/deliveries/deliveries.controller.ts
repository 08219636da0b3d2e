import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems, instantIn, type ListCursor, listCursor } from '#http';
import { Access, CurrentActor } from '#identity';
import { type Actor, isUuid } from '#kernel';
import { UnitOfWork } from '#persistence';
import { ReadDeliveryRequest } from './read-delivery-request.js';
import { ResendDeliveries } from './resend-deliveries.js';
import { deliveryInFlight, deliveryNotFound, webhookNotFound } from '../errors.js';
import { DeliveriesQueries, type DeliveryFilter, type DeliveryRecord } from './deliveries.queries.js';
import {
  DeliveriesQuery,
  DeliveryRequestView,
  DeliveryView,
  deliveryView,
  RecoverBody,
  RecoveringView,
  TestSentView,
} from './deliveries.dto.js';

/** docs/spec/service.md#limits: the last 100. */
const LISTED = 100;

@ApiTags('Webhooks')
@ApiProblems(webhookNotFound)
@Access({ roles: ['TENANT_ADMIN'], everyProcess: true })
@Controller('api/v1/webhooks/:id')
export class DeliveriesController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly deliveries: DeliveriesQueries,
    private readonly resendDeliveries: ResendDeliveries,
    private readonly readRequest: ReadDeliveryRequest,
  ) {}

  @Get('deliveries')
  @ApiOperation({ summary: 'The last 100 deliveries, newest first; older ones by the link `next`' })
  @ApiOkResponse({ type: [DeliveryView] })
  async list(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Query() query: DeliveriesQuery,
    @Res({ passthrough: true }) reply: { header(name: string, value: string): unknown },
  ): Promise<DeliveryView[]> {
    const list = cursors(actor, id, query);
    const found = await this.unitOfWork.read(actor, (tx) => this.deliveries.list(tx, id, filterOf(query, list)));
    const page = found.slice(0, LISTED);
    if (found.length > LISTED) reply.header('Link', `<${nextPage(id, query, list, page.at(-1)!)}>; rel="next"`);
    return page.map(deliveryView);
  }

  @Get('deliveries/:deliveryId/request')
  @ApiOperation({ operationId: 'getDeliveryRequest', summary: 'What a delivery sends: address, headers and the exact body' })
  @ApiOkResponse({ type: DeliveryRequestView })
  @ApiProblems(webhookNotFound, deliveryNotFound)
  request(@CurrentActor() actor: Actor, @Param('id') id: string, @Param('deliveryId') deliveryId: string): Promise<DeliveryRequestView> {
    return this.readRequest.read(actor, id, deliveryId);
  }

  @Post('deliveries/:deliveryId/resend')
  @HttpCode(202)
  @ApiOperation({ summary: 'Send one delivery again: same id, same bytes' })
  @ApiAcceptedResponse({ type: TestSentView })
  @ApiProblems(webhookNotFound, deliveryNotFound, deliveryInFlight)
  async resend(@CurrentActor() actor: Actor, @Param('id') id: string, @Param('deliveryId') deliveryId: string): Promise<TestSentView> {
    await this.resendDeliveries.resend(actor, id, deliveryId);
    return { deliveryId };
  }

  @Post('recover')
  @HttpCode(202)
  @ApiOperation({ summary: 'Send all failed deliveries since a time again' })
  @ApiAcceptedResponse({ type: RecoveringView })
  async recover(@CurrentActor() actor: Actor, @Param('id') id: string, @Body() { since }: RecoverBody): Promise<RecoveringView> {
    return { deliveries: await this.resendDeliveries.recover(actor, id, instantIn(since, '/since')) };
  }
}

const cursors = (actor: Actor, id: string, { event, status }: DeliveriesQuery): ListCursor =>
  listCursor(actor.tenantId, 'deliveries', id, event, status);

function filterOf({ event, status, cursor }: DeliveriesQuery, list: ListCursor): DeliveryFilter {
  return { event: event ?? null, status: status ?? null, before: before(cursor, list), limit: LISTED + 1 };
}

function before(cursor: string | undefined, list: ListCursor): DeliveryFilter['before'] {
  if (cursor === undefined) return null;
  const parts = list.place(cursor, ([at, id, ...rest]) => rest.length === 0 && isPosition(at) && isUuid(id));
  return { createdAt: parts[0]!, id: parts[1]! };
}

/** As the list writes it. Date alone would accept what the database refuses: the 30th of February, a time in words. */
const isPosition = (at: string | undefined): boolean =>
  at !== undefined && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(at) && new Date(at).toJSON()?.slice(0, 23) === at.slice(0, 23);

function nextPage(id: string, { event, status }: DeliveriesQuery, list: ListCursor, last: DeliveryRecord): string {
  const cursor = list.after(last.position, last.id);
  return `/api/v1/webhooks/${id}/deliveries?${new URLSearchParams({ ...(event && { event }), ...(status && { status }), cursor })}`;
}
