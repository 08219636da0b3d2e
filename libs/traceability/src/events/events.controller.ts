import type { EventRecord } from './event-record.js';
import { Controller, Get, Param, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ChainHead, type ChainPosition } from '#chain';
import { ApiProblems, Heavy, isWholeList, type ListCursor, listCursor, periodIn, tokenId } from '#http';
import { Access, CurrentActor } from '#identity';
import { type Actor, isUuid, pageFrom, type PageRequest, processOutOfScope, reachesProcess } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import type { EventFilter } from '../contract/events.js';
import { Lineage } from '../contract/lineage.js';
import { eventNotFound, lotNotFound, treeIncomplete } from '../errors.js';
import { reachesEverything, scopePatterns } from '../process-maps/visibility.js';
import { type Place, eventById, listEvents } from './events.queries.js';
import { askedNames } from '../lots/asked-lot.dto.js';
import { lotExists } from '../lots/lot-list.queries.js';
import { EventPageView, EventView, OneQuery, EventsQuery, TreeQuery } from './events.dto.js';
import { EventResponses } from './event-responses.dto.js';
import { ApiEventInFormats, ApiEventsInFormats, EventFormats, type HttpRequest, type Reply, inFormat } from './event-formats.dto.js';

@ApiTags('Events')
@Controller('api/v1')
@Access('member')
export class EventsReadController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventResponses: EventResponses,
    private readonly chainHead: ChainHead,
    private readonly lineage: Lineage,
    private readonly formats: EventFormats,
  ) {}

  @Get('events')
  @Heavy(isWholeList)
  @ApiOperation({ summary: 'List the events within your process scope, newest first by eventTime' })
  @ApiEventsInFormats()
  list(
    @CurrentActor() actor: Actor,
    @Query() query: EventsQuery,
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<EventPageView | Buffer | StreamableFile> {
    const filter = filterOf(actor, query);
    return inFormat(this.formats, { actor, filter, query, request, reply }, () => this.page(actor, filter, query));
  }

  @Get('events/:id')
  @ApiOperation({ summary: 'Get one event' })
  @ApiEventInFormats()
  @ApiProblems(processOutOfScope, eventNotFound)
  async byId(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Query() { format }: OneQuery,
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<EventView | Buffer | StreamableFile> {
    if (!isUuid(id)) throw eventNotFound(id);
    const filter: EventFilter = { status: 'all', id, scope: scopePatterns(actor) };
    const known = (): Promise<unknown> => this.one(actor, id);
    return inFormat(this.formats, { actor, filter, query: format === undefined ? {} : { format }, request, reply, known }, async () => {
      const [event, position] = await this.one(actor, id);
      return (await this.eventResponses.of(actor, [event], position))[0]!;
    });
  }

  @Get('nfts/:tokenId/events')
  @Heavy(isWholeList)
  @ApiOperation({
    summary: 'List the landed events that name a lot, or any lot of its tree, within your process scope, newest first by eventTime',
  })
  @ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } })
  @ApiEventsInFormats()
  @ApiProblems(lotNotFound, treeIncomplete)
  async ofLot(
    @CurrentActor() actor: Actor,
    @Param('tokenId') id: string,
    @Query() query: TreeQuery,
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<EventPageView | Buffer | StreamableFile> {
    const lot = tokenId(id);
    const filterFor = (tokenIds: readonly bigint[]): EventFilter => ({ status: 'landed', tokenIds, scope: scopePatterns(actor) });
    const refuseUnknown = (found: boolean): void => {
      if (!found) throw lotNotFound(id);
    };
    if (!query.tree) {
      const known = async (): Promise<void> => refuseUnknown(await this.unitOfWork.read(actor, (tx) => lotExists(tx, lot)));
      return inFormat(this.formats, { actor, filter: filterFor([lot]), query, request, reply, known }, () =>
        this.page(actor, filterFor([lot]), query, async (tx) => refuseUnknown(await lotExists(tx, lot))),
      );
    }
    const tokenIds = await this.unitOfWork.inSnapshot(actor, async (tx) => {
      refuseUnknown(await lotExists(tx, lot));
      return treeOf(this.lineage, tx, lot);
    });
    const filter = filterFor(tokenIds);
    return inFormat(this.formats, { actor, filter, query, request, reply }, () => this.page(actor, filter, query));
  }

  private async one(actor: Actor, id: string): Promise<[EventRecord, ChainPosition]> {
    const [event, position] = await this.unitOfWork.read(actor, (tx) => Promise.all([eventById(tx, id), this.chainHead.position(tx)]));
    if (!event) throw eventNotFound(id);
    const reached = event.processType === null ? reachesEverything(actor) : reachesProcess(actor, event.processType);
    if (!reached) throw processOutOfScope(event.processType ?? event.processId);
    return [event, position];
  }

  /** @param known refuses what is not there, with a statement that goes along */
  private async page(
    actor: Actor,
    filter: EventFilter,
    { page, limit, cursor }: PageRequest & { readonly cursor?: string },
    known: (tx: TenantTx) => Promise<void> = () => Promise.resolve(),
  ): Promise<EventPageView> {
    const list = cursors(actor, filter);
    const place = placeOf(page, limit, cursor, list);
    const plan = (tx: TenantTx) => Promise.all([known(tx), listEvents(tx, filter, place, limit), this.chainHead.position(tx)]);
    // Behind a cursor there may be a second statement.
    const [, { events, counted }, position] = await ('after' in place
      ? this.unitOfWork.inSnapshot(actor, plan)
      : this.unitOfWork.read(actor, plan));
    const last = events.at(-1);
    const nextCursor = last && events.length === limit ? list.after(last.eventTime?.toISOString() ?? '', last.id) : null;
    return pageFrom(await this.eventResponses.of(actor, events, position), counted, { page, limit }, nextCursor);
  }
}

function filterOf(actor: Actor, query: EventsQuery): EventFilter {
  const { processType, kind, tlc, orgId, status, tokenId: lot } = askedNames(query);
  const { from, to } = periodIn(query.from, query.to);
  return {
    status: (status ?? 'landed') as EventFilter['status'],
    scope: scopePatterns(actor),
    ...(processType !== undefined && { processType }),
    ...(kind !== undefined && { kind }),
    ...(tlc !== undefined && { tlc }),
    ...(orgId !== undefined && { orgId }),
    ...(lot !== undefined && { tokenIds: [tokenId(lot)] }),
    ...(from && { from }),
    ...(to && { to }),
  };
}

/** A cursor goes with the filters; what the caller's scope reaches may change between two pages. */
function cursors(actor: Actor, filter: EventFilter): ListCursor {
  const { status, processType, kind, tokenIds, tlc, orgId, from, to } = filter;
  return listCursor(actor.tenantId, 'events', status, processType, kind, tokenIds?.join(), tlc, orgId, from, to);
}

function placeOf(page: number, limit: number, cursor: string | undefined, list: ListCursor): Place {
  if (cursor === undefined) return { offset: (page - 1) * limit };
  const [time, id] = list.place(
    cursor,
    ([at, after, ...rest]) => rest.length === 0 && isUuid(after) && (at === '' || !Number.isNaN(Date.parse(at!))),
  );
  return { after: { eventTime: time === '' ? null : new Date(time!), id: id! } };
}

const BOUNDS = { maxDepth: 200, maxNodes: 20_000 };

/** A lot with its ancestors and its descendants. @throws DomainError 422 `tree_incomplete` */
export async function treeOf(lineage: Lineage, tx: TenantTx, root: bigint): Promise<readonly bigint[]> {
  const found = new Set([root]);
  for (const direction of ['ancestors', 'descendants'] as const) {
    const request = { root, direction, kinds: ['transformation', 'containment'] as const, bounds: BOUNDS, asOf: null, skip: 0 };
    const { nodes, truncated } = await lineage.graph(tx, request);
    if (truncated) throw treeIncomplete();
    for (const node of nodes) found.add(node.tokenId);
  }
  return [...found];
}
