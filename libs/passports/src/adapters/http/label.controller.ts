import { ApiProblems } from '#http';
import { Access } from '#identity';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ShowPassport } from '../../application/show-passport.js';
import { passportNotFound, passportWithdrawn } from '../../domain/errors.js';
import { labelPdf } from '../render/label-pdf.js';
import { labelSvg } from '../render/label-svg.js';
import { labelOf } from '../render/label.js';
import { FILE_SCHEMA, NotModified } from './passport.schemas.js';
import { type Answering, type Asking, answer, made } from './public-answer.js';
import { originOf, passportId } from './public.controller.js';

/** For who prints goods: the code leads to the tenant's resolver, or to the address that was asked. */
@ApiTags('passports')
@Controller('p/:passportId')
@Access('public')
@ApiParam({ name: 'passportId', description: '32 hexadecimal digits' })
@ApiProblems(passportNotFound, passportWithdrawn)
export class LabelController {
  constructor(private readonly showPassport: ShowPassport) {}

  @Get('label.svg')
  @ApiOperation({ summary: 'Print label with the QR code of a passport, 80 × 40 mm, as SVG' })
  @ApiResponse({ status: 200, description: 'SVG', content: { 'image/svg+xml': { schema: FILE_SCHEMA } } })
  @NotModified()
  async svg(
    @Param('passportId') id: string,
    @Req() request: Asking,
    @Res({ passthrough: true }) reply: Answering,
  ): Promise<Buffer | undefined> {
    const shown = await this.showPassport.show({ id: passportId(id) }, originOf(request));
    return answer(
      made(shown, 'label.svg', 'image/svg+xml; charset=utf-8', () => labelSvg(labelOf(shown.passport))),
      shown,
      request,
      reply,
    );
  }

  @Get('label.pdf')
  @ApiOperation({ summary: 'The same label as PDF' })
  @ApiResponse({ status: 200, description: 'PDF of one page', content: { 'application/pdf': { schema: FILE_SCHEMA } } })
  @NotModified()
  async pdf(
    @Param('passportId') id: string,
    @Req() request: Asking,
    @Res({ passthrough: true }) reply: Answering,
  ): Promise<Buffer | undefined> {
    const shown = await this.showPassport.show({ id: passportId(id) }, originOf(request));
    const file = shown.made.has('label.pdf') ? null : await labelPdf(labelOf(shown.passport), shown.issued.updatedAt);
    return answer(
      made(shown, 'label.pdf', 'application/pdf', () => file!),
      shown,
      request,
      reply,
    );
  }
}
