import { ApiProblems, BooleanField, IntegerField, StringField, tokenId } from '#http';
import { Access, CurrentActor } from '#identity';
import { type Actor, beyondOwnGrants, isUuid, processOutOfScope } from '#kernel';
import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { lotNotFound, notHeld, recallNotFound } from '../errors.js';
import { HoldLot } from './hold-lot.js';

class HoldBody {
  // A reason of blanks is none.
  @StringField({ description: 'Why', minLength: 1, maxLength: 2000, pattern: /\S/ })
  reason: string;
}

class HeldView {
  @IntegerField({ description: 'The lot' })
  tokenId: number;

  @BooleanField({ description: 'Whether it is on hold now' })
  onHold: boolean;
}

class ReleasedView {
  @IntegerField({ description: 'Lots without a hold now' })
  released: number;
}

@ApiTags('Recalls')
@Controller('api/v1')
@Access({ roles: HoldLot.roles })
@ApiProblems(processOutOfScope, beyondOwnGrants)
export class HoldsController {
  constructor(private readonly holdLot: HoldLot) {}

  @Post('nfts/:tokenId/hold')
  @HttpCode(200)
  @ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } })
  @ApiOperation({ summary: 'Put a lot on hold, off chain: until it is released it can be retired, but not used or moved' })
  @ApiOkResponse({ type: HeldView })
  @ApiProblems(lotNotFound)
  async hold(@CurrentActor() actor: Actor, @Param('tokenId') id: string, @Body() { reason }: HoldBody): Promise<HeldView> {
    const lot = tokenId(id);
    await this.holdLot.hold(actor, lot, reason);
    return { tokenId: Number(lot), onHold: true };
  }

  @Post('nfts/:tokenId/release')
  @HttpCode(200)
  @ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } })
  @ApiOperation({ summary: 'Release a lot from all its holds' })
  @ApiOkResponse({ type: HeldView })
  @ApiProblems(lotNotFound, notHeld)
  async release(@CurrentActor() actor: Actor, @Param('tokenId') id: string): Promise<HeldView> {
    const lot = tokenId(id);
    await this.holdLot.release(actor, lot);
    return { tokenId: Number(lot), onHold: false };
  }

  @Post('recalls/:id/release')
  @HttpCode(200)
  @ApiOperation({ summary: 'End all holds of a recall with propagation `hold`' })
  @ApiOkResponse({ type: ReleasedView })
  @ApiProblems(recallNotFound)
  async releaseAll(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<ReleasedView> {
    if (!isUuid(id)) throw recallNotFound(id);
    return { released: await this.holdLot.releaseRecall(actor, id) };
  }
}
