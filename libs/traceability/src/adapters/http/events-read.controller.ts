import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ChainHead, ChainProfile } from '#chain';
import { ApiProblems, type ListCursor, PageQuery, StringField, instantIn, listCursor, malformedRequest, tokenId } from '#http';
import { Access, CurrentActor, Parties, processOutOfScope } from '#identity';
import { type Actor, isUuid, pageFrom, reachesProcess } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { eventNotFound, lotNotFound } from '../../domain/errors.js';
import { reachesEverything, scopePatterns } from '../../domain/projection-scope.js';
import {
  type EventFilter,
  type EventPlace,
  type EventRecord,
  type EventStatusFilter,
  eventById,
  listEvents,
  processOfEvent,
} from '../persistence/event-reads.js';
import { lotByTokenId } from '../persistence/lot-reads.js';
import { loadPublicPointers } from '../persistence/map-words.js';
import { EventPageView, EventView } from './events-read.shapes.js';
import { eventView } from './events-read.view.js';
import { EventsQuery } from './events-read.dto.js';

class LotEventsQuery extends PageQuery {
  @StringField({ description: '`nextCursor` of the page before; takes the place of `page`', optional: true, maxLength: 200 })
  cursor?: string;
}

@ApiTags('events')
@Controller('api/v1')
@Access('member')
export class EventsReadController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly parties: Parties,
    private readonly chainHead: ChainHead,
    private readonly chain: ChainProfile,
  ) {}

  @Get('events')
  @ApiOperation({ summary: 'Events within your process scope, newest first by eventTime' })
  @ApiOkResponse({ type: EventPageView })
  list(@CurrentActor() actor: Actor, @Query() query: EventsQuery): Promise<EventPageView> {
    const { page, limit, cursor } = query;
    const filter = filterOf(actor, query);
    return this.unitOfWork.inSnapshot(actor, (tx) => this.page(tx, actor, filter, { page, limit, ...(cursor && { cursor }) }));
  }

  @Get('events/:id')
  @ApiOperation({ summary: 'One event' })
  @ApiOkResponse({ type: EventView })
  @ApiProblems(processOutOfScope, eventNotFound)
  byId(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<EventView> {
    if (!isUuid(id)) throw eventNotFound(id);
    return this.unitOfWork.inSnapshot(actor, async (tx) => {
      const event = await eventById(tx, id);
      if (!event) throw eventNotFound(id);
      const reached = event.processType === null ? reachesEverything(actor) : reachesProcess(actor, event.processType);
      if (!reached) throw processOutOfScope(event.processType ?? event.processId);
      return (await this.views(tx, actor, [event]))[0]!;
    });
  }

  @Get('nfts/:tokenId/events')
  @ApiOperation({ summary: 'Landed events that name a lot, within your process scope, newest first by eventTime' })
  @ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } })
  @ApiOkResponse({ type: EventPageView })
  @ApiProblems(lotNotFound)
  ofLot(@CurrentActor() actor: Actor, @Param('tokenId') id: string, @Query() query: LotEventsQuery): Promise<EventPageView> {
    const lot = tokenId(id);
    return this.unitOfWork.inSnapshot(actor, async (tx) => {
      if (!(await lotByTokenId(tx, lot))) throw lotNotFound(id);
      return this.page(tx, actor, { status: 'landed', tokenId: lot, scope: scopePatterns(actor) }, query);
    });
  }

  private async page(
    tx: TenantTx,
    actor: Actor,
    filter: EventFilter,
    { page, limit, cursor }: { readonly page: number; readonly limit: number; readonly cursor?: string },
  ): Promise<EventPageView> {
    const list = cursors(actor, filter);
    const { events, counted } = await listEvents(tx, filter, placeOf(page, limit, cursor, list), limit);
    const last = events.at(-1);
    const nextCursor = last && events.length === limit ? list.after(last.eventTime?.toISOString() ?? '', last.id) : null;
    return pageFrom(await this.views(tx, actor, events), counted, { page, limit }, nextCursor);
  }

  private async views(tx: TenantTx, actor: Actor, events: readonly EventRecord[]): Promise<EventView[]> {
    const addresses = events.flatMap((event) => event.actorAddress ?? []);
    const labels = await this.parties.labels(tx, [...new Set(addresses)]);
    const publicPointers = await loadPublicPointers(tx, events.map(processOfEvent));
    const { final } = await this.chainHead.position(tx);
    const around = { actor, labels, publicPointers, chainId: this.chain.chainId, finalBlock: final };
    return events.map((event) => eventView(event, around));
  }
}

function filterOf(actor: Actor, query: EventsQuery): EventFilter {
  const { processType, kind, tlc, orgId, status, tokenId: lot, from, to } = query;
  const [begin, end] = [from === undefined ? null : instantIn(from, '/from'), to === undefined ? null : instantIn(to, '/to')];
  if (begin && end && begin > end)
    throw malformedRequest([{ pointer: '/from', code: 'from_after_to', message: '`from` lies after `to`.' }]);
  return {
    status: (status ?? 'landed') as EventStatusFilter,
    scope: scopePatterns(actor),
    ...(processType !== undefined && { processType }),
    ...(kind !== undefined && { kind }),
    ...(tlc !== undefined && { tlc }),
    ...(orgId !== undefined && { orgId }),
    ...(lot !== undefined && { tokenId: tokenId(lot) }),
    ...(begin && { from: begin }),
    ...(end && { to: end }),
  };
}

/** A cursor goes with the filters; what the caller's scope reaches may change between two pages. */
function cursors(actor: Actor, filter: EventFilter): ListCursor {
  const { status, processType, kind, tokenId: lot, tlc, orgId, from, to } = filter;
  return listCursor(actor.tenantId, 'events', status, processType, kind, lot?.toString(), tlc, orgId, from, to);
}

function placeOf(page: number, limit: number, cursor: string | undefined, list: ListCursor): EventPlace {
  if (cursor === undefined) return { offset: (page - 1) * limit };
  const [time, id] = list.place(
    cursor,
    ([at, after, ...rest]) => rest.length === 0 && isUuid(after) && (at === '' || !Number.isNaN(Date.parse(at!))),
  );
  return { after: { eventTime: time === '' ? null : new Date(time!), id: id! } };
}
