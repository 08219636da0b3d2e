import { HeavyForPublic, WritesProblemsAs, contentTag, instantIn, listCursor } from '#http';
import { Access } from '#identity';
import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { DppDocument } from '../composing/dpp-document.js';
import { elementPath } from '../elements/element-path.js';
import { OpenGrant } from '../grants/open-grant.js';
import { elementNotFound, pathMalformed, pathNotSingular, versionNotFound } from '../errors.js';
import type { PassportRequest } from '../issuing/passports.dto.js';
import { type PassportReply, rendering, respond } from '../public/public-passport.dto.js';
import type { Rendering } from '../public/renderings.js';
import type { PassportOnShow } from '../public/show-passport.js';
import { dppText, elementText } from './dpp-text.rules.js';
import { DatedQuery, DppIdsQuery, DppIdsView, ProductIdsBody, RESULT, ReadsDpp, RepresentationQuery, TakesGrant } from './dpp.dto.js';
import { ReadDpp } from './read-dpp.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const GRANT_HEADER = 'x-dpp-grant';
const DPP_ID = {
  name: 'dppId',
  description: '`digitalProductPassportId`, the address of the page, or the product identifier; percent-encoded once',
};

/** EN 18222:2026, the reading methods. What the two published renderings of it differ in: docs/reference/dpp-conformance.md. */
@ApiTags('Digital product passports')
@Controller('v1')
@Access('public')
@HeavyForPublic()
export class DppController {
  constructor(
    private readonly readDpp: ReadDpp,
    private readonly openGrant: OpenGrant,
  ) {}

  @Get('dpps/:dppId')
  @TakesGrant()
  @ReadsDpp('readDPPById', 'ReadDPPById: a passport (EN 18222 clause 4.2)')
  @ApiParam(DPP_ID)
  async byId(
    @Param('dppId') dppId: string,
    @Query() { representation }: RepresentationQuery,
    @Req() request: PassportRequest,
    @Res({ passthrough: true }) reply: PassportReply,
  ): Promise<Buffer | undefined> {
    const shown = await this.readDpp.byId(dppId, request);
    return this.answer(shown, request, reply, { whole: representation });
  }

  @Get('dppsByProductId/:productId')
  @TakesGrant()
  @ReadsDpp('readDPPByProductId', 'ReadDPPByProductId: the passport of a product, a lot or an item (EN 18222 clause 4.3)')
  @ApiParam({ name: 'productId', description: 'GS1 Digital Link (EN 18219) of any host, percent-encoded once' })
  async byProductId(
    @Param('productId') productId: string,
    @Query() { representation }: RepresentationQuery,
    @Req() request: PassportRequest,
    @Res({ passthrough: true }) reply: PassportReply,
  ): Promise<Buffer | undefined> {
    const shown = await this.readDpp.byProductId(productId, request);
    return this.answer(shown, request, reply, { whole: representation });
  }

  @Get('dppsByIdAndDate/:dppId')
  @ReadsDpp(
    'readDPPVersionByIdAndDate',
    'ReadDPPVersionByIdAndDate: the version that was current at a time (EN 18222 clause 4.4)',
    versionNotFound,
  )
  @ApiParam(DPP_ID)
  async atDate(
    @Param('dppId') dppId: string,
    @Query() { date, representation }: DatedQuery,
    @Req() request: PassportRequest,
    @Res({ passthrough: true }) reply: PassportReply,
  ): Promise<Buffer | undefined> {
    const { shown, document } = await this.readDpp.at(dppId, instantIn(date, '/date'), request);
    return respond(textRendering(dppText(document, representation)), shown, request, reply);
  }

  @Post('dppsByProductIds')
  @HttpCode(200)
  @WritesProblemsAs('en18222', RESULT)
  @ApiOperation({
    operationId: 'readDPPIdsByProductIds',
    summary: 'ReadDPPIdsByProductIds: which passports products have (EN 18222 clause 4.5)',
    description: 'An identifier that names no passport adds nothing. There is no list of passports: who asks knows the products.',
  })
  @ApiOkResponse({ type: DppIdsView })
  async idsOf(@Body() { productIds }: ProductIdsBody, @Query() { limit, cursor }: DppIdsQuery): Promise<DppIdsView> {
    const list = listCursor('dpps', productIds);
    const [place, id] = cursor ? list.place(cursor, (parts) => parts.length === 2 && /^\d{1,3}$/.test(parts[0]!)) : [];
    const after = place === undefined ? null : { place: Number(place), id: id! };
    const { ids, next } = await this.readDpp.idsOf(productIds, after, limit);
    return { dppIds: [...ids], ...(next && { nextCursor: list.after(String(next.place), next.id) }) };
  }

  @Get('dpps/:dppId/elements/:elementIdPath')
  @TakesGrant()
  @ReadsDpp(
    'readDataElement',
    'ReadDataElement: one data element, or a collection of them (EN 18222 clause 6.2)',
    ...[elementNotFound, pathMalformed, pathNotSingular],
  )
  @ApiParam(DPP_ID)
  @ApiParam({ name: 'elementIdPath', description: 'Normalised path (RFC 9535) into the compressed passport, percent-encoded once' })
  async element(
    @Param('dppId') dppId: string,
    @Param('elementIdPath') path: string,
    @Query() { representation }: RepresentationQuery,
    @Req() request: PassportRequest,
    @Res({ passthrough: true }) reply: PassportReply,
  ): Promise<Buffer | undefined> {
    const steps = elementPath(path);
    if (steps === 'path_malformed') throw pathMalformed();
    if (steps === 'path_not_singular') throw pathNotSingular();
    const shown = await this.readDpp.byId(dppId, request);
    return this.answer(shown, request, reply, { part: (document) => elementText(document, steps, representation) });
  }

  /** What everybody reads, or with a grant what that opens. */
  private async answer(
    shown: PassportOnShow,
    request: PassportRequest,
    reply: PassportReply,
    what: AnswerPart,
  ): Promise<Buffer | undefined> {
    const textOf = (document: DppDocument): string => ('part' in what ? what.part(document) : dppText(document, what.whole));
    const token = request.headers[GRANT_HEADER];
    if (token === undefined)
      return respond('part' in what ? textRendering(textOf(shown.document)) : currentAs(what.whole, shown), shown, request, reply);
    const { document } = await this.openGrant.open(shown, String(token));
    reply.header('cache-control', 'private, no-store').header('access-control-allow-origin', '*').header('content-type', JSON_TYPE);
    return Buffer.from(textOf(document));
  }
}

type AnswerPart = { readonly whole: 'compressed' | 'full' } | { readonly part: (document: DppDocument) => string };

const currentAs = (representation: 'compressed' | 'full', shown: PassportOnShow): Rendering =>
  rendering(shown, `dpp ${representation}`, JSON_TYPE, () => dppText(shown.document, representation));

function textRendering(text: string): Rendering {
  const body = Buffer.from(text);
  return { body, type: JSON_TYPE, etag: contentTag(body) };
}
