import { ApiProblems, serviceBusy } from '#http';
import { CurrentActor } from '#identity';
import { type Actor, processOutOfScope } from '#kernel';
import { Prepares } from '#prepare';
import { notATransfer, tlcAmbiguous } from '#traceability';
import { Body, Controller, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { lotsNotFinal, lotsNotFound, noOpenOffer, noPartsInContract } from '../errors.js';
import { CustodyPrepareBody, PreparedCustodyView, preparedCustodyView } from './custody.dto.js';
import { PrepareCustody } from './prepare-custody.js';

@ApiTags('Custody')
@Controller('api/v1/custody')
export class CustodyController {
  constructor(private readonly prepareCustody: PrepareCustody) {}

  @Post('prepare')
  @Prepares(PrepareCustody)
  @ApiOperation({ summary: 'Prepare an offer, acceptance, rejection or cancellation of 1 to 100 lots, whole or in parts' })
  @ApiOkResponse({ type: PreparedCustodyView })
  @ApiProblems(lotsNotFound, lotsNotFinal, noOpenOffer, noPartsInContract, notATransfer, tlcAmbiguous, processOutOfScope, serviceBusy)
  async prepare(@CurrentActor() actor: Actor, @Body() body: CustodyPrepareBody): Promise<PreparedCustodyView> {
    return preparedCustodyView(await this.prepareCustody.prepare(actor, body));
  }
}
