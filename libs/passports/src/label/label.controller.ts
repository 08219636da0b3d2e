import { ApiProblems } from '#http';
import { Access } from '#identity';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { passportNotFound, passportWithdrawn } from '../errors.js';
import { type PassportRequest, passportId } from '../issuing/passports.dto.js';
import { FILE_SCHEMA, NotModified, type PassportReply, rendering, respond } from '../public/public-passport.dto.js';
import { ShowPassport } from '../public/show-passport.js';
import { labelOf, labelPdf, labelSvg } from './label.page.js';

/** Labels to print: the code leads to the tenant's resolver, or to the address of the request. */
@ApiTags('Passports')
@Controller('p/:passportId')
@Access('public')
@ApiParam({ name: 'passportId', description: '32 hexadecimal digits' })
@ApiProblems(passportNotFound, passportWithdrawn)
export class LabelController {
  constructor(private readonly showPassport: ShowPassport) {}

  @Get('label.svg')
  @ApiOperation({ operationId: 'getPassportLabelSvg', summary: 'Print label with the QR code of a passport, 80 × 40 mm, as SVG' })
  @ApiResponse({ status: 200, description: 'SVG', content: { 'image/svg+xml': { schema: FILE_SCHEMA } } })
  @NotModified()
  async svg(
    @Param('passportId') id: string,
    @Req() request: PassportRequest,
    @Res({ passthrough: true }) reply: PassportReply,
  ): Promise<Buffer | undefined> {
    const shown = await this.showPassport.show({ id: passportId(id) }, request.publicOrigin);
    return respond(
      rendering(shown, 'label.svg', 'image/svg+xml; charset=utf-8', () => labelSvg(labelOf(shown.passport))),
      shown,
      request,
      reply,
    );
  }

  @Get('label.pdf')
  @ApiOperation({ operationId: 'getPassportLabelPdf', summary: 'The same label as PDF' })
  @ApiResponse({ status: 200, description: 'PDF of one page', content: { 'application/pdf': { schema: FILE_SCHEMA } } })
  @NotModified()
  async pdf(
    @Param('passportId') id: string,
    @Req() request: PassportRequest,
    @Res({ passthrough: true }) reply: PassportReply,
  ): Promise<Buffer | undefined> {
    const shown = await this.showPassport.show({ id: passportId(id) }, request.publicOrigin);
    const file = shown.renderings.has('label.pdf') ? null : await labelPdf(labelOf(shown.passport), shown.issued.updatedAt);
    return respond(
      rendering(shown, 'label.pdf', 'application/pdf', () => file!),
      shown,
      request,
      reply,
    );
  }
}
