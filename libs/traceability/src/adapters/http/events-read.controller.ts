import { Controller, Get, Param, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiProblems, type ListCursor, instantIn, listCursor, malformedRequest, tokenId } from '#http';
import { Access, CurrentActor, processOutOfScope } from '#identity';
import { type Actor, type PageRequest, isUuid, pageFrom, reachesProcess } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { type EventFilter, EventFormats, type EventStatusFilter, Lineage } from '../../contract.js';
import { eventNotFound, lotNotFound, treeIncomplete } from '../../domain/errors.js';
import { reachesEverything, scopePatterns } from '../../domain/projection-scope.js';
import { type EventPlace, type EventRecord, eventById, listEvents } from '../persistence/event-reads.js';
import { lotByTokenId } from '../persistence/lot-reads.js';
import { EventPageView, EventView } from './events-read.shapes.js';
import { EventViews } from './event-views.js';
import { ApiEventInFormats, ApiEventsInFormats, type Asked, type Reply, inFormat } from './events-in-format.js';
import { treeOf } from './tree-of-lot.js';
import { EventQuery, EventsQuery, LotEventsQuery } from './events-read.dto.js';

@ApiTags('events')
@Controller('api/v1')
@Access('member')
export class EventsReadController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventViews: EventViews,
    private readonly lineage: Lineage,
    private readonly formats: EventFormats,
  ) {}

  @Get('events')
  @ApiOperation({ summary: 'Events within your process scope, newest first by eventTime' })
  @ApiEventsInFormats()
  list(
    @CurrentActor() actor: Actor,
    @Query() query: EventsQuery,
    @Req() request: Asked,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<EventPageView | StreamableFile> {
    const filter = filterOf(actor, query);
    return inFormat(this.formats, { actor, filter, query, request, reply }, () =>
      this.unitOfWork.inSnapshot(actor, (tx) => this.page(tx, actor, filter, query)),
    );
  }

  @Get('events/:id')
  @ApiOperation({ summary: 'One event' })
  @ApiEventInFormats()
  @ApiProblems(processOutOfScope, eventNotFound)
  async byId(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Query() { format }: EventQuery,
    @Req() request: Asked,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<EventView | StreamableFile> {
    if (!isUuid(id)) throw eventNotFound(id);
    const filter: EventFilter = { status: 'all', id, scope: scopePatterns(actor) };
    const known = (): Promise<unknown> => this.unitOfWork.inSnapshot(actor, (tx) => this.one(tx, actor, id));
    return inFormat(this.formats, { actor, filter, query: format === undefined ? {} : { format }, request, reply, known }, () =>
      this.unitOfWork.inSnapshot(actor, async (tx) => (await this.eventViews.of(tx, actor, [await this.one(tx, actor, id)]))[0]!),
    );
  }

  @Get('nfts/:tokenId/events')
  @ApiOperation({ summary: 'Landed events that name a lot, or any lot of its tree, within your process scope, newest first by eventTime' })
  @ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } })
  @ApiEventsInFormats()
  @ApiProblems(lotNotFound, treeIncomplete)
  async ofLot(
    @CurrentActor() actor: Actor,
    @Param('tokenId') id: string,
    @Query() query: LotEventsQuery,
    @Req() request: Asked,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<EventPageView | StreamableFile> {
    const lot = tokenId(id);
    const tokenIds = await this.unitOfWork.inSnapshot(actor, async (tx) => {
      if (!(await lotByTokenId(tx, lot))) throw lotNotFound(id);
      return query.tree ? treeOf(this.lineage, tx, lot) : [lot];
    });
    const filter: EventFilter = { status: 'landed', tokenIds, scope: scopePatterns(actor) };
    return inFormat(this.formats, { actor, filter, query, request, reply }, () =>
      this.unitOfWork.inSnapshot(actor, (tx) => this.page(tx, actor, filter, query)),
    );
  }

  private async one(tx: TenantTx, actor: Actor, id: string): Promise<EventRecord> {
    const event = await eventById(tx, id);
    if (!event) throw eventNotFound(id);
    const reached = event.processType === null ? reachesEverything(actor) : reachesProcess(actor, event.processType);
    if (!reached) throw processOutOfScope(event.processType ?? event.processId);
    return event;
  }

  private async page(
    tx: TenantTx,
    actor: Actor,
    filter: EventFilter,
    { page, limit, cursor }: PageRequest & { readonly cursor?: string },
  ): Promise<EventPageView> {
    const list = cursors(actor, filter);
    const { events, counted } = await listEvents(tx, filter, placeOf(page, limit, cursor, list), limit);
    const last = events.at(-1);
    const nextCursor = last && events.length === limit ? list.after(last.eventTime?.toISOString() ?? '', last.id) : null;
    return pageFrom(await this.eventViews.of(tx, actor, events), counted, { page, limit }, nextCursor);
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
    ...(lot !== undefined && { tokenIds: [tokenId(lot)] }),
    ...(begin && { from: begin }),
    ...(end && { to: end }),
  };
}

/** A cursor goes with the filters; what the caller's scope reaches may change between two pages. */
function cursors(actor: Actor, filter: EventFilter): ListCursor {
  const { status, processType, kind, tokenIds, tlc, orgId, from, to } = filter;
  return listCursor(actor.tenantId, 'events', status, processType, kind, tokenIds?.join(), tlc, orgId, from, to);
}

function placeOf(page: number, limit: number, cursor: string | undefined, list: ListCursor): EventPlace {
  if (cursor === undefined) return { offset: (page - 1) * limit };
  const [time, id] = list.place(
    cursor,
    ([at, after, ...rest]) => rest.length === 0 && isUuid(after) && (at === '' || !Number.isNaN(Date.parse(at!))),
  );
  return { after: { eventTime: time === '' ? null : new Date(time!), id: id! } };
}
