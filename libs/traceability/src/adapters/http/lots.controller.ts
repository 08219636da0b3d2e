import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ChainHead } from '#chain';
import { ApiProblems, cursorOf, tokenId } from '#http';
import { Access, CurrentActor, Parties } from '#identity';
import { type Actor, checksumAddress, pageFrom } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { lotNotFound } from '../../domain/errors.js';
import { type LotFilter, type LotPlace, type LotRecord, listLots, lotByTlc, lotByTokenId } from '../persistence/lot-reads.js';
import { loadPublicPointers } from '../persistence/map-words.js';
import { cursorPlace } from './cursor-place.js';
import { LotPageView, LotView, lotView } from './lots.view.js';
import { LotsQuery } from './lots.dto.js';

@ApiTags('lots')
@Controller('api/v1/nfts')
@Access('member')
export class LotsController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly parties: Parties,
    private readonly chainHead: ChainHead,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Lots, newest first' })
  @ApiOkResponse({ type: LotPageView })
  list(@CurrentActor() actor: Actor, @Query() query: LotsQuery): Promise<LotPageView> {
    const filter = filterOf(query);
    return this.unitOfWork.inSnapshot(actor, async (tx) => {
      const { lots, counted } = await listLots(tx, filter, placeOf(query), query.limit);
      const nextCursor = lots.length === query.limit ? cursorOf(String(lots.at(-1)!.tokenId)) : null;
      return pageFrom(await this.views(tx, actor, lots), counted, query, nextCursor);
    });
  }

  @Get('by-tlc/:tlc')
  @ApiOperation({ summary: 'The lot behind a traceability lot code' })
  @ApiParam({ name: 'tlc', description: 'Percent-encoded, a slash too', schema: { type: 'string' } })
  @ApiOkResponse({ type: LotView })
  @ApiProblems(lotNotFound)
  byTlc(@CurrentActor() actor: Actor, @Param('tlc') tlc: string): Promise<LotView> {
    return this.one(actor, tlc, (tx) => lotByTlc(tx, tlc));
  }

  @Get(':tokenId')
  @ApiOperation({ summary: 'One lot' })
  @ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } })
  @ApiOkResponse({ type: LotView })
  @ApiProblems(lotNotFound)
  byTokenId(@CurrentActor() actor: Actor, @Param('tokenId') id: string): Promise<LotView> {
    const asked = tokenId(id);
    return this.one(actor, id, (tx) => lotByTokenId(tx, asked));
  }

  private one(actor: Actor, asked: string, find: (tx: TenantTx) => Promise<LotRecord | null>): Promise<LotView> {
    return this.unitOfWork.inSnapshot(actor, async (tx) => {
      const lot = await find(tx);
      if (!lot) throw lotNotFound(asked);
      return (await this.views(tx, actor, [lot]))[0]!;
    });
  }

  private async views(tx: TenantTx, actor: Actor, lots: readonly LotRecord[]): Promise<LotView[]> {
    const labels = await this.parties.labels(tx, [...new Set(lots.map((lot) => lot.custodian))]);
    const publicPointers = await loadPublicPointers(
      tx,
      lots.map((lot) => lot.process),
    );
    const { final } = await this.chainHead.position(tx);
    return lots.map((lot) => lotView(lot, { actor, labels, publicPointers, finalBlock: final }));
  }
}

function filterOf({ status, assetType, custodian, tlc, processMap }: LotsQuery): LotFilter {
  return {
    ...(status !== undefined && { status }),
    ...(assetType !== undefined && { assetType }),
    ...(custodian !== undefined && { custodian: checksumAddress(custodian) }),
    ...(tlc !== undefined && { tlc }),
    ...(processMap !== undefined && { processMap }),
  };
}

function placeOf({ cursor, page, limit }: LotsQuery): LotPlace {
  if (cursor === undefined) return { offset: (page - 1) * limit };
  const [below] = cursorPlace(cursor, (parts) => parts.length === 1 && /^\d{1,15}$/.test(parts[0]!));
  return { below: BigInt(below!) };
}
