import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ChainHead } from '#chain';
import { ApiProblems, instantIn, listCursor, malformedRequest, tokenId } from '#http';
import { Access, CurrentActor, Parties, organisationNotFound } from '#identity';
import { type Actor, checksumAddress, pageFrom } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { asOfNotReached, lotNotFound } from '../../domain/errors.js';
import {
  type At,
  type LotFilter,
  type LotRecord,
  type LotSort,
  listLots,
  lotByTlc,
  lotByTokenId,
  placeOf,
} from '../persistence/lot-reads.js';
import { stateAt } from './as-of.js';
import { LotViews } from './lot-views.js';
import { LotPageView, LotView } from './lots.view.js';
import { LotQuery, LotsQuery } from './lots.dto.js';

@ApiTags('lots')
@Controller('api/v1/nfts')
@Access('member')
export class LotsController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly parties: Parties,
    private readonly chainHead: ChainHead,
    private readonly lotViews: LotViews,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Lots, newest first, or by code where one is asked for, unless `sort` says otherwise' })
  @ApiOkResponse({ type: LotPageView })
  @ApiProblems(organisationNotFound, asOfNotReached)
  list(@CurrentActor() actor: Actor, @Query() query: LotsQuery): Promise<LotPageView> {
    // The order of the codes is that of their index, however many begin so; and a whole code stands in front of longer ones.
    const { sort = query.tlc === undefined ? '-tokenId' : 'tlc', cursor, page, limit, orgId } = query;
    const asked = filterOf(query);
    const list = listCursor(actor.tenantId, 'lots', asked, orgId, sort, query.asOf);
    const place = cursor === undefined ? { offset: (page - 1) * limit } : { after: placeIn(list.place(cursor, fits(sort))) };
    return this.unitOfWork.inSnapshot(actor, async (tx) => {
      const at = await stateAt(tx, this.chainHead, query);
      const filter = orgId === undefined ? asked : await this.ofOrganisation(tx, orgId, asked);
      const { lots, counted } = await listLots(tx, filter, sort, place, limit, at);
      const last = lots.at(-1);
      const next = last && lots.length === limit ? placeOf(sort, last) : null;
      return pageFrom(await this.lotViews.of(tx, actor, lots), counted, query, next && list.after(next.key, String(next.tokenId)));
    });
  }

  @Get('by-tlc/:tlc')
  @ApiOperation({ summary: 'The lot behind a traceability lot code' })
  @ApiParam({ name: 'tlc', description: 'Percent-encoded, a slash too', schema: { type: 'string' } })
  @ApiOkResponse({ type: LotView })
  @ApiProblems(lotNotFound, asOfNotReached)
  byTlc(@CurrentActor() actor: Actor, @Param('tlc') tlc: string, @Query() query: LotQuery): Promise<LotView> {
    return this.one(actor, tlc, query, (tx, at) => lotByTlc(tx, tlc, at));
  }

  @Get(':tokenId')
  @ApiOperation({ summary: 'One lot' })
  @ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } })
  @ApiOkResponse({ type: LotView })
  @ApiProblems(lotNotFound, asOfNotReached)
  byTokenId(@CurrentActor() actor: Actor, @Param('tokenId') id: string, @Query() query: LotQuery): Promise<LotView> {
    const asked = tokenId(id);
    return this.one(actor, id, query, (tx, at) => lotByTokenId(tx, asked, at));
  }

  private one(actor: Actor, asked: string, query: LotQuery, find: (tx: TenantTx, at: At) => Promise<LotRecord | null>): Promise<LotView> {
    return this.unitOfWork.inSnapshot(actor, async (tx) => {
      const lot = await find(tx, await stateAt(tx, this.chainHead, query));
      if (!lot) throw lotNotFound(asked);
      return (await this.lotViews.of(tx, actor, [lot]))[0]!;
    });
  }

  private async ofOrganisation(tx: TenantTx, orgId: string, filter: LotFilter): Promise<LotFilter> {
    const wallets = await this.parties.walletsOf(tx, orgId);
    return { ...filter, custodians: filter.custodians ? wallets.filter((wallet) => filter.custodians!.includes(wallet)) : wallets };
  }
}

function filterOf({
  status,
  assetType,
  custodian,
  tlc,
  processMap,
  createdFrom,
  createdTo,
  expiringBefore,
  recalled,
}: LotsQuery): LotFilter {
  const instant = (text: string | undefined, pointer: string): Date | undefined =>
    text === undefined ? undefined : instantIn(text, pointer);
  const [from, to] = [instant(createdFrom, '/createdFrom'), instant(createdTo, '/createdTo')];
  if (from && to && from > to)
    throw malformedRequest([{ pointer: '/createdFrom', code: 'from_after_to', message: '`createdFrom` lies after `createdTo`.' }]);
  const expiring = instant(expiringBefore, '/expiringBefore');
  return {
    ...(status !== undefined && { status }),
    ...(assetType !== undefined && { assetType }),
    ...(custodian !== undefined && { custodians: [checksumAddress(custodian)] }),
    ...(tlc !== undefined && { tlc }),
    ...(processMap !== undefined && { processMap }),
    ...(from && { createdFrom: from }),
    ...(to && { createdTo: to }),
    ...(expiring && { expiringBefore: expiring }),
    ...(recalled !== undefined && { recalled }),
  };
}

const TOKEN = /^\d{1,15}$/;

const fits =
  (sort: LotSort) =>
  ([key, token, ...rest]: readonly string[]): boolean =>
    rest.length === 0 && TOKEN.test(token ?? '') && (sort === 'tlc' || (sort === 'expiresAt' ? isTime(key!) : TOKEN.test(key!)));

const isTime = (text: string): boolean =>
  text === 'infinity' || (/^\d{4,5}-.*Z$/.test(text) && !Number.isNaN(Date.parse(text.replace(/^\d{5}-/, '+0$&'))));

const placeIn = ([key, token]: readonly string[]): { key: string; tokenId: bigint } => ({ key: key!, tokenId: BigInt(token!) });
