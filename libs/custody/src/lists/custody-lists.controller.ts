import { ApiProblems, Heavy, TABLE_CONTENT, type TableQuery, isWholeList, listCursor, listOrTable, tokenId } from '#http';
import { Access, CurrentActor, Parties, organisationNotFound } from '#identity';
import { type Actor, pageFrom } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Lots, EventDocuments } from '#traceability';
import { Controller, Get, Param, Query, Req, Res, type StreamableFile, applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiParam, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { TRANSFERS_TABLE } from './transfers-table.dto.js';
import { mintRecord, transferRecord } from './custody-record.js';
import { lotsNotFound } from '../errors.js';
import { TRANSFER_STATUSES, type TransferStatus } from '../transfers/transfer.js';
import { type Direction, type TransferPlace, placeOf, transfersOf, transfersOfLot } from './transfer-lists.queries.js';
import {
  CustodyHistoryQuery,
  CustodyHistoryView,
  OffersQuery,
  OrgTransfersQuery,
  TransferPageView,
  custodyRecordView,
  transferView,
} from './custody-lists.dto.js';

interface Listing extends TableQuery {
  readonly direction?: Direction | undefined;
}

interface Reply {
  header(name: string, value: string): unknown;
}

const ApiTransfers = (): MethodDecorator & ClassDecorator =>
  applyDecorators(
    ApiExtraModels(TransferPageView),
    ApiOkResponse({ content: { 'application/json': { schema: { $ref: getSchemaPath(TransferPageView) } }, ...TABLE_CONTENT } }),
  );

@ApiTags('Custody')
@Controller('api/v1')
@Access('member')
export class CustodyListsController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly parties: Parties,
    private readonly lots: Lots,
    private readonly papers: EventDocuments,
  ) {}

  @Get('custody/org/:orgId')
  @Heavy(isWholeList)
  @ApiOperation({
    operationId: 'getCustodyOfOrganisation',
    summary: "Transfers from and to an organisation's wallets, newest first; completed ones unless `status` says otherwise",
  })
  @ApiTransfers()
  @ApiProblems(organisationNotFound)
  ofOrganisation(
    @CurrentActor() actor: Actor,
    @Param('orgId') orgId: string,
    @Query() query: OrgTransfersQuery,
    @Req() request: { readonly url: string },
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<TransferPageView | StreamableFile> {
    const statuses = statusesOf(query.status);
    return listOrTable(query, { request, reply }, TRANSFERS_TABLE, (page) => this.list(actor, orgId, statuses, page));
  }

  @Get('custody/org/:orgId/offers')
  @Heavy(isWholeList)
  @ApiOperation({ operationId: 'getOffersOfOrganisation', summary: 'Open offers to and from an organisation, newest first' })
  @ApiTransfers()
  @ApiProblems(organisationNotFound)
  offers(
    @CurrentActor() actor: Actor,
    @Param('orgId') orgId: string,
    @Query() query: OffersQuery,
    @Req() request: { readonly url: string },
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<TransferPageView | StreamableFile> {
    return listOrTable(query, { request, reply }, TRANSFERS_TABLE, (page) => this.list(actor, orgId, ['pending'], page));
  }

  @Get('nfts/:tokenId/custody')
  @ApiOperation({ summary: 'Custody history of a lot from its mint on, including offers that were rejected or cancelled' })
  @ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } })
  @ApiOkResponse({ type: CustodyHistoryView })
  @ApiProblems(lotsNotFound)
  history(@CurrentActor() actor: Actor, @Param('tokenId') id: string, @Query() query: CustodyHistoryQuery): Promise<CustodyHistoryView> {
    const lot = tokenId(id);
    return this.unitOfWork.inSnapshot(actor, async (tx) => {
      // The mint takes the first place of the first page.
      const first = query.page === 1;
      const skipped = first ? 0 : (query.page - 1) * query.limit - 1;
      const [mint, { transfers, counted }] = await Promise.all([
        this.lots.mintOf(tx, lot),
        transfersOfLot(tx, lot, skipped, first ? query.limit - 1 : query.limit),
      ]);
      if (!mint) throw lotsNotFound([lot]);
      const records = [...(first ? [mintRecord(mint)] : []), ...transfers.map(transferRecord)];
      const eventIds = records.flatMap(({ eventId }) => (eventId === null ? [] : [eventId]));
      const [labels, papers] = await Promise.all([
        this.parties.labels(tx, [...new Set(records.flatMap(({ from, to }) => [from, to]))]),
        this.papers.ofEvents(tx, actor, [...new Set(eventIds)]),
      ]);
      const views = records.map((record) => custodyRecordView(record, { tlc: mint.tlc, actor, labels, papers }));
      // Pages of this list are only numbered: it grows at its end.
      const { nextCursor: _, ...page } = pageFrom(views, counted + 1, query);
      return page;
    });
  }

  /** One exchange for the wallets of the organisation, and one for their transfers. */
  private async list(actor: Actor, orgId: string, statuses: readonly TransferStatus[], listing: Listing): Promise<TransferPageView> {
    const wallets = await this.unitOfWork.read(actor, (tx) => this.parties.walletsOf(tx, orgId));
    const { direction, cursor, limit } = listing;
    const list = listCursor(actor.tenantId, 'transfers', orgId, statuses, direction);
    const place = cursor === undefined ? undefined : placeIn(list.place(cursor, fits));
    const { transfers, counted } = await this.unitOfWork.read(actor, (tx) =>
      transfersOf(tx, { wallets, statuses, direction }, listing, place),
    );
    const views = transfers.map(({ transfer, context }) => transferView(transferRecord(transfer), context, actor));
    const last = transfers.at(-1)?.transfer;
    return pageFrom(views, counted, listing, last && transfers.length === limit ? list.after(...partsOf(placeOf(last))) : null);
  }
}

function statusesOf(status: string | undefined): readonly TransferStatus[] {
  if (status === 'all') return TRANSFER_STATUSES;
  return status === undefined || status === 'completed' ? ['accepted', 'direct'] : [status as TransferStatus];
}

const partsOf = ({ block, log, tokenId: lot }: TransferPlace): readonly string[] => [block, log, lot].map(String);

function placeIn([block, log, lot]: readonly string[]): TransferPlace {
  return { block: Number(block), log: Number(log), tokenId: BigInt(lot!) };
}

const fits = (parts: readonly string[]): boolean => parts.length === 3 && parts.every((part) => /^\d{1,15}$/.test(part));
