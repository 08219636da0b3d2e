import { ApiProblems, tokenId } from '#http';
import { CurrentActor } from '#identity';
import type { Actor } from '#kernel';
import { Prepares } from '#prepare';
import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { lotsNotFinal, lotsNotFound } from '../errors.js';
import { PrepareRetirement } from './prepare-retirement.js';
import { PreparedRetirementView, RetirementBody, preparedRetirementView } from './retirements.dto.js';

@ApiTags('Custody')
@Controller('api/v1/nfts')
export class RetirementsController {
  constructor(private readonly retirement: PrepareRetirement) {}

  @Post(':tokenId/retire/prepare')
  @Prepares(PrepareRetirement)
  @ApiOperation({ operationId: 'prepareNftRetirement', summary: 'Prepare to take a lot, or a part of it, out of the chain of custody' })
  @ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } })
  @ApiOkResponse({ type: PreparedRetirementView })
  @ApiProblems(lotsNotFound, lotsNotFinal)
  async prepare(@CurrentActor() actor: Actor, @Param('tokenId') id: string, @Body() body: RetirementBody): Promise<PreparedRetirementView> {
    return preparedRetirementView(body.reason, await this.retirement.prepare(actor, tokenId(id), body));
  }
}
