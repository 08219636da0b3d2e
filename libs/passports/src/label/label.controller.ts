import { ApiProblems, HeavyForPublic, PublicWork, NotModified } from '#http';
import { Access } from '#identity';
import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { noGs1Key, passportNotFound, passportWithdrawn } from '../errors.js';
import { type PassportRequest, passportId } from '../issuing/passports.dto.js';
import { FILE_SCHEMA, type PassportReply, rendering, respond } from '../public/public-passport.dto.js';
import type { Rendering } from '../public/renderings.js';
import { type PassportOnShow, ShowPassport } from '../public/show-passport.js';
import { LabelPdfQuery, LabelQuery } from './label.dto.js';
import { labelPdf } from './label-pdf.page.js';
import { type Label, labelOf, labelSvg } from './label.page.js';
import { type SymbolKind, elementsOf, gs1Symbol } from '../pages/symbols.page.js';

const SVG = { name: 'label.svg', type: 'image/svg+xml; charset=utf-8' };
const PDF = { name: 'label.pdf', type: 'application/pdf' };

/** Labels to print: the code leads to the tenant's resolver, or to the address of the request. */
@ApiTags('Passports')
@Controller('p/:passportId')
@Access('public')
@HeavyForPublic()
@ApiParam({ name: 'passportId', description: '32 hexadecimal digits' })
@ApiProblems({ code: 'malformed_request', status: 400 }, passportNotFound, noGs1Key, passportWithdrawn)
export class LabelController {
  constructor(
    private readonly showPassport: ShowPassport,
    private readonly publicWork: PublicWork,
  ) {}

  @Get('label.svg')
  @ApiOperation({ operationId: 'getPassportLabelSvg', summary: 'Print label of a lot with a code, as SVG' })
  @ApiResponse({ status: 200, description: 'SVG', content: { 'image/svg+xml': { schema: FILE_SCHEMA } } })
  @NotModified()
  async svg(
    @Param('passportId') id: string,
    @Query() { symbol }: LabelQuery,
    @Req() request: PassportRequest,
    @Res({ passthrough: true }) reply: PassportReply,
  ): Promise<Buffer | undefined> {
    const shown = await this.showPassport.show(passportId(id), request);
    const made = await this.made(shown, { ...SVG, name: `label ${symbol}.svg` }, request, async () =>
      labelSvg(await labelWith(shown, symbol)),
    );
    return respond(made, shown, request, reply);
  }

  @Get('label.pdf')
  @ApiOperation({ operationId: 'getPassportLabelPdf', summary: 'The same label as PDF, one or a sheet full of it' })
  @ApiResponse({ status: 200, description: 'PDF of one page', content: { 'application/pdf': { schema: FILE_SCHEMA } } })
  @NotModified()
  async pdf(
    @Param('passportId') id: string,
    @Query() { symbol, sheet }: LabelPdfQuery,
    @Req() request: PassportRequest,
    @Res({ passthrough: true }) reply: PassportReply,
  ): Promise<Buffer | undefined> {
    const shown = await this.showPassport.show(passportId(id), request);
    const made = await this.made(shown, { ...PDF, name: `label ${symbol} ${sheet ?? ''}.pdf` }, request, async () =>
      labelPdf(await labelWith(shown, symbol), shown.issued.updatedAt, sheet === 'a4'),
    );
    return respond(made, shown, request, reply);
  }

  /** The label, made in a slot of the public's work where it is not at hand. */
  private async made(
    shown: PassportOnShow,
    { name, type }: typeof SVG,
    { ip }: PassportRequest,
    make: () => Promise<string | Buffer>,
  ): Promise<Rendering> {
    const ready = shown.renderings.get(name);
    if (ready) return ready;
    const content = await this.publicWork.run({ tenant: shown.tenantId, ip }, make);
    return rendering(shown, name, type, () => content);
  }
}

/** @throws DomainError 409 `no_gs1_key` */
async function labelWith({ passport, issued }: PassportOnShow, symbol: SymbolKind): Promise<Label> {
  if (symbol === 'qr') return labelOf(passport);
  const elements = elementsOf(issued.key);
  if (elements === null) throw noGs1Key();
  return labelOf(passport, await gs1Symbol(symbol, elements));
}
