import { ApiProblems, tokenId } from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor } from '#kernel';
import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { PrepareRetirement, RETIRE_ROLES } from '../../application/prepare-retirement.js';
import { lotsNotFinal, lotsNotFound } from '../../domain/errors.js';
import { PreparedRetirementView, RetirementBody, preparedRetirementView } from './retirement.dto.js';

@ApiTags('custody')
@Controller('api/v1/nfts')
export class RetirementController {
  constructor(private readonly retirement: PrepareRetirement) {}

  @Post(':tokenId/retire/prepare')
  @HttpCode(200)
  @Access({ roles: RETIRE_ROLES })
  @ApiOperation({ summary: 'Prepare to take a lot, or a part of it, out of the chain of custody' })
  @ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } })
  @ApiOkResponse({ type: PreparedRetirementView })
  @ApiProblems(lotsNotFound, lotsNotFinal)
  async prepare(@CurrentActor() actor: Actor, @Param('tokenId') id: string, @Body() body: RetirementBody): Promise<PreparedRetirementView> {
    return preparedRetirementView(body.reason, await this.retirement.prepare(actor, tokenId(id), body));
  }
}
