import { ApiProblems } from '#http';
import { Access, CurrentActor, processOutOfScope } from '#identity';
import type { Actor } from '#kernel';
import { notATransfer } from '#traceability';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CUSTODY_ROLES, PrepareCustody } from '../../application/prepare-custody.js';
import { lotsNotFinal, lotsNotFound, noOpenOffer } from '../../domain/errors.js';
import { CustodyPrepareBody } from './custody.dto.js';
import { PreparedCustodyView, preparedCustodyView } from './custody.view.js';

@ApiTags('custody')
@Controller('api/v1/custody')
export class CustodyController {
  constructor(private readonly prepareCustody: PrepareCustody) {}

  @Post('prepare')
  @HttpCode(200)
  @Access({ roles: CUSTODY_ROLES })
  @ApiOperation({ summary: 'Prepare an offer, acceptance, rejection or cancellation of 1 to 100 lots' })
  @ApiOkResponse({ type: PreparedCustodyView })
  @ApiProblems(lotsNotFound, lotsNotFinal, noOpenOffer, notATransfer, processOutOfScope)
  async prepare(@CurrentActor() actor: Actor, @Body() body: CustodyPrepareBody): Promise<PreparedCustodyView> {
    return preparedCustodyView(await this.prepareCustody.prepare(actor, body));
  }
}
