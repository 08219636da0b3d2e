import { ApiProblems, PageQuery, pageView } from '#http';
import { Access, CurrentActor, Parties } from '#identity';
import type { Actor } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Lots } from '#traceability';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CUSTODY_ROLES, PrepareCustody } from '../../application/prepare-custody.js';
import { lotsNotFinal, lotsNotFound, noOpenOffer } from '../../domain/errors.js';
import { completedTransfers } from '../persistence/org-transfers.js';
import { CustodyPrepareBody } from './custody.dto.js';
import { PreparedCustodyView, TransferPageView, preparedCustodyView, transferView } from './custody.view.js';

@ApiTags('custody')
@Controller('api/v1/custody')
export class CustodyController {
  constructor(
    private readonly prepareCustody: PrepareCustody,
    private readonly unitOfWork: UnitOfWork,
    private readonly parties: Parties,
    private readonly lots: Lots,
  ) {}

  @Post('prepare')
  @HttpCode(200)
  @Access({ roles: CUSTODY_ROLES })
  @ApiOperation({ summary: 'Prepare an offer, acceptance, rejection or cancellation of 1 to 100 lots' })
  @ApiOkResponse({ type: PreparedCustodyView })
  @ApiProblems(lotsNotFound, lotsNotFinal, noOpenOffer)
  async prepare(@CurrentActor() actor: Actor, @Body() body: CustodyPrepareBody): Promise<PreparedCustodyView> {
    return preparedCustodyView(await this.prepareCustody.prepare(actor, body));
  }

  @Get('org/:orgId')
  @Access('member')
  @ApiOperation({ summary: "Completed transfers from and to an organisation's wallets, newest first" })
  @ApiOkResponse({ type: TransferPageView })
  ofOrganisation(@CurrentActor() actor: Actor, @Param('orgId') orgId: string, @Query() query: PageQuery): Promise<TransferPageView> {
    return this.unitOfWork.inSnapshot(actor, async (tx) => {
      const wallets = await this.parties.walletsOf(tx, orgId);
      const transfers = await completedTransfers(tx, wallets, query);
      const facts = await this.lots.byTokenIds(tx, [...new Set(transfers.data.map(({ tokenId }) => tokenId))]);
      const tlcs = new Map(facts.map((lot) => [lot.tokenId, lot.tlc]));
      // Pages of this list are only numbered.
      const { nextCursor: _, ...page } = pageView(transfers, (transfer) => transferView(transfer, tlcs.get(transfer.tokenId) ?? null));
      return page;
    });
  }
}
