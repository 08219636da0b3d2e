import { ApiProblems, HeavyForPublic, PublicWork, NotModified } from '#http';
import { Access } from '#identity';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { passportNotFound, passportWithdrawn } from '../errors.js';
import { type PassportRequest, passportId } from '../issuing/passports.dto.js';
import { FILE_SCHEMA, type PassportReply, rendering, respond } from '../public/public-passport.dto.js';
import type { Rendering } from '../public/renderings.js';
import { type PassportOnShow, ShowPassport } from '../public/show-passport.js';
import { labelOf, labelPdf, labelSvg } from './label.page.js';

const SVG = { name: 'label.svg', type: 'image/svg+xml; charset=utf-8' };
const PDF = { name: 'label.pdf', type: 'application/pdf' };

/** Labels to print: the code leads to the tenant's resolver, or to the address of the request. */
@ApiTags('Passports')
@Controller('p/:passportId')
@Access('public')
@HeavyForPublic()
@ApiParam({ name: 'passportId', description: '32 hexadecimal digits' })
@ApiProblems(passportNotFound, passportWithdrawn)
export class LabelController {
  constructor(
    private readonly showPassport: ShowPassport,
    private readonly publicWork: PublicWork,
  ) {}

  @Get('label.svg')
  @ApiOperation({ operationId: 'getPassportLabelSvg', summary: 'Print label with the QR code of a passport, 80 × 40 mm, as SVG' })
  @ApiResponse({ status: 200, description: 'SVG', content: { 'image/svg+xml': { schema: FILE_SCHEMA } } })
  @NotModified()
  async svg(
    @Param('passportId') id: string,
    @Req() request: PassportRequest,
    @Res({ passthrough: true }) reply: PassportReply,
  ): Promise<Buffer | undefined> {
    const shown = await this.showPassport.show(passportId(id), request);
    const label = await this.made(shown, SVG, request, () => labelSvg(labelOf(shown.passport)));
    return respond(label, shown, request, reply);
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
    const shown = await this.showPassport.show(passportId(id), request);
    const label = await this.made(shown, PDF, request, () => labelPdf(labelOf(shown.passport), shown.issued.updatedAt));
    return respond(label, shown, request, reply);
  }

  /** The label, made in a slot of the public's work where it is not at hand. */
  private async made(
    shown: PassportOnShow,
    { name, type }: typeof SVG,
    { ip }: PassportRequest,
    make: () => string | Promise<Buffer>,
  ): Promise<Rendering> {
    const ready = shown.renderings.get(name);
    if (ready) return ready;
    const content = await this.publicWork.run({ tenant: shown.tenantId, ip }, async () => make());
    return rendering(shown, name, type, () => content);
  }
}
