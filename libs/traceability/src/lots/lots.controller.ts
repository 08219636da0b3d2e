import { Controller, Get, Param, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiParam, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { ChainHead } from '#chain';
import { ApiProblems, Heavy, TABLE_CONTENT, instantIn, isWholeList, listCursor, listOrTable, periodIn, tokenId } from '#http';
import { Access, CurrentActor, Parties, organisationNotFound } from '#identity';
import { type Actor, checksumAddress, pageFrom } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { asOfNotReached, lotNotFound, severalLots } from '../errors.js';
import { lotsByCode } from './lot-codes.queries.js';
import { type ListFilter, type ListSort, listLots, lotByTokenId, placeOf } from './lot-list.queries.js';
import { NOW, type StateAsOf } from './lot-state.queries.js';
import { AsOfQuery, stateAt } from './as-of.dto.js';
import { askedNames } from './asked-lot.dto.js';
import { LotResponses, LotPageView, LotView } from './lots-response.dto.js';
import { ByCodeQuery, ListQuery } from './lots.dto.js';
import { LOTS_TABLE } from './lots-table.dto.js';

interface Reply {
  header(name: string, value: string): unknown;
}

@ApiTags('Lots')
@Controller('api/v1/nfts')
@Access('member')
export class LotsController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly parties: Parties,
    private readonly chainHead: ChainHead,
    private readonly lotResponses: LotResponses,
  ) {}

  @Get()
  @Heavy(isWholeList)
  @ApiOperation({
    summary: 'List lots: newest first, by code where `tlc` is given, or by `sort`',
    description: 'With `format` a table: without the metadata of the lots in CSV and XLSX, with it in NDJSON.',
  })
  @ApiExtraModels(LotPageView)
  @ApiOkResponse({ content: { 'application/json': { schema: { $ref: getSchemaPath(LotPageView) } }, ...TABLE_CONTENT } })
  @ApiProblems(organisationNotFound, asOfNotReached)
  list(
    @CurrentActor() actor: Actor,
    @Query() query: ListQuery,
    @Req() request: { readonly url: string },
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<LotPageView | StreamableFile> {
    return listOrTable(query, { request, reply }, LOTS_TABLE, (page) => this.page(actor, page));
  }

  @Get('by-tlc/:tlc')
  @ApiOperation({
    summary: 'Get the lot with a traceability lot code',
    description:
      'Products may share a lot number: then `gtin`, and for a single item `serial`, say which lot is meant. A lot and the parts that were split from it have one code: the answer is the only one that is neither used up nor retired; of several, `custodian` says which. Without them the answer is 409 with the `candidates`.',
  })
  @ApiParam({
    name: 'tlc',
    description: 'A code, or the IRI of a lot: its GS1 Digital Link, or its name in exports; percent-encoded, a slash too',
    schema: { type: 'string' },
  })
  @ApiOkResponse({ type: LotView })
  @ApiProblems(lotNotFound, severalLots, asOfNotReached)
  async byTlc(@CurrentActor() actor: Actor, @Param('tlc') tlc: string, @Query() query: ByCodeQuery): Promise<LotView> {
    const { gtin, serial, custodian } = query;
    const asked = { ...askedNames({ tlc, serial, gtin }), custodian: custodian && checksumAddress(custodian) };
    const found = await this.reading(actor, query, (tx, at) => lotsByCode(tx, asked, at));
    if (found.length > 1) throw severalLots(tlc, found);
    if (!found[0]) throw lotNotFound(tlc);
    return this.one(actor, tlc, query, BigInt(found[0].tokenId));
  }

  @Get(':tokenId')
  @ApiOperation({ summary: 'Get one lot' })
  @ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } })
  @ApiOkResponse({ type: LotView })
  @ApiProblems(lotNotFound, asOfNotReached)
  byTokenId(@CurrentActor() actor: Actor, @Param('tokenId') id: string, @Query() query: AsOfQuery): Promise<LotView> {
    return this.one(actor, id, query, tokenId(id));
  }

  private async page(actor: Actor, query: ListQuery): Promise<LotPageView> {
    // Codes are listed in the order of their index, however many match; a whole code comes before longer ones.
    const { sort = query.tlc === undefined ? '-tokenId' : 'tlc', cursor, page, limit, orgId } = query;
    const requested = filterOf(askedNames(query));
    const list = listCursor(actor.tenantId, 'lots', requested, orgId, sort, query.asOf);
    const place = cursor === undefined ? { offset: (page - 1) * limit } : { after: placeIn(list.place(cursor, fits(sort))) };
    const filter = orgId === undefined ? requested : await this.ofOrganisation(actor, orgId, requested);
    const [{ lots, counted }, position] = await this.reading(actor, query, (tx, at) =>
      Promise.all([listLots(tx, { filter, sort, place, limit, at }), this.chainHead.position(tx)]),
    );
    const last = lots.at(-1);
    const next = last && lots.length === limit ? placeOf(sort, last) : null;
    return pageFrom(await this.lotResponses.of(actor, lots, position), counted, query, next && list.after(next.key, String(next.tokenId)));
  }

  private async one(actor: Actor, asked: string, query: AsOfQuery, found: bigint): Promise<LotView> {
    const [lot, position] = await this.reading(actor, query, (tx, at) =>
      Promise.all([lotByTokenId(tx, found, at), this.chainHead.position(tx)]),
    );
    if (!lot) throw lotNotFound(asked);
    return (await this.lotResponses.of(actor, [lot], position))[0]!;
  }

  /** In one exchange, unless the state as of a block is asked for. */
  private reading<T>(actor: Actor, query: AsOfQuery, plan: (tx: TenantTx, at: StateAsOf) => Promise<T>): Promise<T> {
    if (query.asOf === undefined) return this.unitOfWork.read(actor, (tx) => plan(tx, NOW));
    return this.unitOfWork.inSnapshot(actor, async (tx) => plan(tx, await stateAt(tx, this.chainHead, query)));
  }

  private async ofOrganisation(actor: Actor, orgId: string, filter: ListFilter): Promise<ListFilter> {
    const wallets = await this.unitOfWork.read(actor, (tx) => this.parties.walletsOf(tx, orgId));
    return { ...filter, custodians: filter.custodians ? wallets.filter((wallet) => filter.custodians!.includes(wallet)) : wallets };
  }
}

function filterOf({
  status,
  assetType,
  custodian,
  tlc,
  gtin,
  serial,
  processMap,
  expiringBefore,
  recalled,
  ...query
}: ListQuery): ListFilter {
  const { from, to } = periodIn(query.createdFrom, query.createdTo, ['createdFrom', 'createdTo']);
  const expiring = expiringBefore === undefined ? null : instantIn(expiringBefore, '/expiringBefore');
  return {
    ...(status !== undefined && { status }),
    ...(assetType !== undefined && { assetType }),
    ...(custodian !== undefined && { custodians: [checksumAddress(custodian)] }),
    ...(tlc !== undefined && { tlc }),
    ...(gtin !== undefined && { gtin }),
    ...(serial !== undefined && { serial }),
    ...(processMap !== undefined && { processMap }),
    ...(from && { createdFrom: from }),
    ...(to && { createdTo: to }),
    ...(expiring && { expiringBefore: expiring }),
    ...(recalled !== undefined && { recalled }),
  };
}

const TOKEN = /^\d{1,15}$/;

const fits =
  (sort: ListSort) =>
  ([key, token, ...rest]: readonly string[]): boolean =>
    rest.length === 0 && TOKEN.test(token ?? '') && (sort === 'tlc' || (sort === 'expiresAt' ? isTime(key!) : TOKEN.test(key!)));

const isTime = (text: string): boolean =>
  text === 'infinity' || (/^\d{4,5}-.*Z$/.test(text) && !Number.isNaN(Date.parse(text.replace(/^\d{5}-/, '+0$&'))));

const placeIn = ([key, token]: readonly string[]): { key: string; tokenId: bigint } => ({ key: key!, tokenId: BigInt(token!) });
