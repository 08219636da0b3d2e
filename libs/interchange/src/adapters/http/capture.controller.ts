import { Readable } from 'node:stream';
import { ApiProblems, CHAIN_UNAVAILABLE, CONTENT_UNAVAILABLE, INVALID_CONTENT, ReadsBody, StringField } from '#http';
import { Access, CurrentActor, foreignSender, quotaExceeded, senderOf, tenantHasNoContract } from '#identity';
import { type Actor, ROLES } from '#kernel';
import { Body, Controller, Headers, HttpCode, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CaptureDocument, MAX_EVENTS } from '../../application/capture-document.js';
import type { Json } from '../../domain/json.js';
import { CaptureView, captureText, captureView } from './capture.view.js';

/** Ten thousand events of two kilobytes. */
const MAX_DOCUMENT = 20 * 1024 * 1024;

class CaptureQuery {
  @StringField({ description: 'EIP-55 address that will sign: one of your own; absent: your wallet', optional: true, maxLength: 42 })
  from?: string;
}

@ApiTags('interchange')
@Controller('api/v1/epcis')
@Access({ roles: ROLES })
export class CaptureController {
  constructor(private readonly captureDocument: CaptureDocument) {}

  @Post('capture')
  @HttpCode(200)
  @ReadsBody({ bodyLimit: MAX_DOCUMENT, linkedJson: true })
  @ApiOperation({
    summary: 'Prepare the events of an EPCIS 2.0 document',
    description: `Each of up to ${MAX_EVENTS.toLocaleString('en')} events is mapped to a process of your maps by its type, action and bizStep (or by \`trc:processType\`) and prepared, or refused in its own words. The same event twice is refused by its event hash. An error declaration prepares the void of the event with its eventID.`,
  })
  @ApiConsumes('application/json', 'application/ld+json')
  @ApiBody({ schema: { type: 'object', description: 'An EPCISDocument (ISO/IEC 19987) in JSON-LD', additionalProperties: true } })
  @ApiOkResponse({ type: CaptureView })
  @ApiProblems(foreignSender, tenantHasNoContract, quotaExceeded, INVALID_CONTENT, CHAIN_UNAVAILABLE, CONTENT_UNAVAILABLE)
  async capture(
    @CurrentActor() actor: Actor,
    @Body() document: object,
    @Query() query: CaptureQuery,
    @Headers('idempotency-key') key: string | undefined,
  ): Promise<CaptureView | StreamableFile> {
    const captured = await this.captureDocument.capture(actor, document as Json, senderOf(actor, query.from));
    // An answer that may be given again is kept as a whole.
    if (key !== undefined) return captureView(captured);
    return new StreamableFile(Readable.from(captureText(captured), { objectMode: false }), { type: 'application/json; charset=utf-8' });
  }
}
