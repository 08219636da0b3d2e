import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ChainHead } from '#chain';
import { ApiProblems, tokenId, Heavy } from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Footprints } from '../contract/footprint.js';
import { asOfNotReached, footprintIncomplete, lotNotFound } from '../errors.js';
import { stateAt } from '../lots/as-of.dto.js';
import { FootprintQuery, FootprintView, footprintView } from './footprint.dto.js';

@ApiTags('Lots')
@Controller('api/v1/nfts')
@Access('member')
export class FootprintController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly footprints: Footprints,
    private readonly chainHead: ChainHead,
  ) {}

  @Get(':tokenId/footprint')
  @Heavy()
  @ApiOperation({
    summary: 'Carbon, water, energy and waste of a lot and everything it was made from',
    description:
      'Of a container: of what was packed into it. Null is unknown, never zero; `lowerBound` says that declarations are missing.',
  })
  @ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } })
  @ApiOkResponse({ type: FootprintView })
  @ApiProblems(lotNotFound, footprintIncomplete, asOfNotReached)
  of(@CurrentActor() actor: Actor, @Param('tokenId') id: string, @Query() query: FootprintQuery): Promise<FootprintView> {
    const asked = tokenId(id);
    return this.unitOfWork.inSnapshot(actor, async (tx) => {
      const at = await stateAt(tx, this.chainHead, query);
      return footprintView(await this.footprints.of(tx, asked, query, at.block));
    });
  }
}
