import { ApiProblems, Heavy, tokenId } from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor } from '#kernel';
import { Controller, Get, Param, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { passportNotFound } from '../errors.js';
import { type PassportRequest } from '../issuing/passports.dto.js';
import { ComposePassport } from './compose-passport.js';
import type { PublicPassport } from './passport.js';

@ApiTags('Passports')
@Controller('api/v1/nfts/:tokenId/passport')
@Access('member')
export class PreviewController {
  constructor(private readonly composePassport: ComposePassport) {}

  @Get()
  @Heavy()
  @ApiOperation({
    operationId: 'previewPassport',
    summary: 'What the public reads of a lot, or would read: a draft where no passport is shown',
  })
  @ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } })
  @ApiOkResponse({ schema: { type: 'object', description: 'The public JSON, with `passportStatus`', additionalProperties: true } })
  @ApiProblems(passportNotFound)
  preview(@CurrentActor() actor: Actor, @Param('tokenId') id: string, @Req() request: PassportRequest): Promise<PublicPassport> {
    return this.composePassport.preview(actor, tokenId(id), request.publicOrigin);
  }
}
