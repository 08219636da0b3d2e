import { ApiProblems, HeavyForPublic, negotiate, NotModified } from '#http';
import { Access } from '#identity';
import { DomainError, ownLotUri, type Language, languageOf } from '#kernel';
import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { linkTypeUnknown, notAcceptable, passportNotFound, passportWithdrawn } from '../errors.js';
import { PASSPORT_ID, type PassportRequest, passportId } from '../issuing/passports.dto.js';
import { LINK_TYPES, linkTypeOf, linksetOf } from './linkset.js';
import { linkMatrix } from '../pages/symbols.page.js';
import { passportPage } from './passport.page.js';
import {
  LINKSET_SCHEMA,
  PAGE_SCHEMA,
  PASSPORT_SCHEMA,
  type PassportReply,
  RefusesWithPage,
  acceptedLanguages,
  pageOrProblem,
  rendering,
  respond,
} from './public-passport.dto.js';
import type { LinkAddress, PassportAddress } from '../issuing/passport-address.js';
import type { Rendering } from './renderings.js';
import { type PassportOnShow, ShowPassport } from './show-passport.js';

const HTML = 'text/html';
const JSON_TYPE = 'application/json';
const LINKSET = 'application/linkset+json';
const MALFORMED = { code: 'malformed_request', status: 400 };
const OFFERED = [HTML, JSON_TYPE, LINKSET];
const SHOWN = { [HTML]: { schema: PAGE_SCHEMA }, [JSON_TYPE]: { schema: PASSPORT_SCHEMA }, [LINKSET]: { schema: LINKSET_SCHEMA } };

@ApiTags('Passports')
@Controller()
@Access('public')
@HeavyForPublic()
export class PublicPassportController {
  constructor(private readonly showPassport: ShowPassport) {}

  @Get('p/:passportId')
  @ApiOperation({
    operationId: 'openPassport',
    summary: 'Passport of a lot, by its own id',
    description: 'A page, JSON or a linkset (RFC 9264), by `Accept`.',
  })
  @ApiParam({ name: 'passportId', schema: { type: 'string', pattern: PASSPORT_ID.source } })
  @ApiQuery({ name: 'linkType', required: false, description: `\`linkset\`, or one of ${LINK_TYPES.join(', ')}` })
  @ApiQuery({
    name: 'lang',
    required: false,
    description: 'Language of the page: `en`, `de`, `fr`, `es` or `vi`; by default that of `Accept-Language`',
  })
  @ApiResponse({ status: 200, description: 'The passport', content: SHOWN })
  @NotModified()
  @RefusesWithPage()
  @ApiProblems(MALFORMED, passportNotFound, linkTypeUnknown, notAcceptable, passportWithdrawn)
  byId(
    @Param('passportId') id: string,
    @Query('linkType') linkType: string | undefined,
    @Req() request: PassportRequest,
    @Res({ passthrough: true }) reply: PassportReply,
  ): Promise<Buffer | string | undefined> {
    return pageOrProblem(request, reply, () => this.answer({ id: passportId(id) }, linkType, request, reply));
  }

  @Get('id/:tenant/lot/:code')
  @ApiOperation({
    operationId: 'openLotByName',
    summary: "A lot with a code of the tenant's own, by its name in exports",
    description:
      'Its passport where one is shown. Otherwise, and with a credential, it leads to the lot in the API or, for a browser, in the portal; both ask for a credential, and whether there is such a lot is not told here.',
  })
  @ApiParam({ name: 'tenant', description: 'Slug of the tenant' })
  @ApiParam({ name: 'code', description: 'Code of the lot, percent-encoded once' })
  @ApiQuery({ name: 'linkType', required: false, description: `\`linkset\`, or one of ${LINK_TYPES.join(', ')}` })
  @ApiResponse({ status: 200, description: 'The passport', content: SHOWN })
  @ApiResponse({ status: 303, description: 'Where the lot is described for who may read it' })
  @NotModified()
  @RefusesWithPage()
  @ApiProblems(linkTypeUnknown, passportWithdrawn)
  byOwnName(
    @Param('tenant') tenant: string,
    @Param('code') code: string,
    @Req() request: PassportRequest,
    @Res({ passthrough: true }) reply: PassportReply,
  ): Promise<Buffer | string | undefined> {
    const { headers } = request;
    const accept = String(headers['accept'] ?? '');
    const lead = (): undefined => {
      const name = encodeURIComponent(ownLotUri({ base: request.publicOrigin, tenant }, code));
      const isPage = negotiate(accept, [JSON_TYPE, HTML]) === HTML;
      const target = isPage ? `/portal/lots?tlc=${name}` : `/api/v1/nfts/by-tlc/${name}`;
      reply.code(303).header('vary', 'accept, authorization, x-api-key').header('location', target);
    };
    return pageOrProblem(request, reply, async () => {
      if (negotiate(accept, OFFERED) === null || 'authorization' in headers || 'x-api-key' in headers) return lead();
      try {
        return await this.answer({ tenant, code }, queryOf(request, 'linkType'), request, reply);
      } catch (error) {
        if (error instanceof DomainError && error.code === 'passport_not_found') return lead();
        throw error;
      }
    });
  }

  private async answer(
    address: Exclude<PassportAddress, LinkAddress>,
    linkType: unknown,
    request: PassportRequest,
    reply: PassportReply,
  ): Promise<Buffer | undefined> {
    const accept = request.headers['accept'];
    const type =
      linkType === 'linkset' || linkType === 'all' ? LINKSET : negotiate(Array.isArray(accept) ? accept.join() : accept, OFFERED);
    if (type === null) throw notAcceptable(OFFERED);
    // Only a Digital Link can lead to passports of several tenants.
    const shown = (await this.showPassport.find(address, request)) as PassportOnShow;
    if (linkType !== undefined && type !== LINKSET && (typeof linkType !== 'string' || linkTypeOf(linkType) === null))
      throw linkTypeUnknown(['linkset', ...LINK_TYPES]);
    reply.header('link', `<${shown.passport.links.self}?linkType=linkset>; rel="linkset"; type="${LINKSET}"`);
    const language = languageOf(acceptedLanguages(request));
    if (type === HTML) reply.header('content-language', language);
    return respond(await renderingAs(type, shown, language), shown, request, reply);
  }
}

/** As `@Query` reads it; the routes of links have no room for another parameter. */
function queryOf({ url }: PassportRequest, name: string): string | string[] | undefined {
  const all = new URL(url, 'http://localhost').searchParams.getAll(name);
  return all.length > 1 ? all : all[0];
}

async function renderingAs(type: string, shown: PassportOnShow, language: Language): Promise<Rendering> {
  if (type === HTML) return pageOf(shown, language);
  if (type === LINKSET) return rendering(shown, 'linkset', LINKSET, () => JSON.stringify(linksetOf(shown.passport)));
  return rendering(shown, 'json', `${JSON_TYPE}; charset=utf-8`, () => JSON.stringify(shown.passport));
}

async function pageOf(shown: PassportOnShow, language: Language): Promise<Rendering> {
  const name = `page ${language}`;
  const ready = shown.renderings.get(name);
  if (ready) return ready;
  const matrix = await linkMatrix(shown.issued.link);
  return rendering(shown, name, `${HTML}; charset=utf-8`, () => passportPage(shown.passport, language, { matrix }));
}
