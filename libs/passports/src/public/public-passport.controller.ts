import { ApiProblems, HeavyForPublic, negotiate, NotModified } from '#http';
import { Access } from '#identity';
import { DomainError, LotKey, PAGE_POLICY, gtin14, ownLotUri } from '#kernel';
import { applyDecorators, Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { gtinMalformed, linkTypeUnknown, notAcceptable, passportNotFound, passportWithdrawn } from '../errors.js';
import { linkPathOf } from '../issuing/issued-passport.js';
import { PASSPORT_ID, type PassportRequest, passportId } from '../issuing/passports.dto.js';
import { LINK_TYPES, linkTypeOf, linksetOf, linksetOfChoices } from './linkset.js';
import { absencePage, choicesPage, passportPage } from './passport.page.js';
import {
  LINKSET_SCHEMA,
  PAGE_SCHEMA,
  PASSPORT_SCHEMA,
  type PassportReply,
  RefusesWithPage,
  rendering,
  respond,
} from './public-passport.dto.js';
import type { LinkAddress, PassportAddress } from '../issuing/passport-address.js';
import type { PassportChoices } from './passport-choices.js';
import type { Rendering } from './renderings.js';
import { type PassportOnShow, ShowPassport } from './show-passport.js';

const HTML = 'text/html';
const JSON_TYPE = 'application/json';
const LINKSET = 'application/linkset+json';
const MALFORMED = { code: 'malformed_request', status: 400 };
const OFFERED = [HTML, JSON_TYPE, LINKSET];
const SHOWN = { [HTML]: { schema: PAGE_SCHEMA }, [JSON_TYPE]: { schema: PASSPORT_SCHEMA }, [LINKSET]: { schema: LINKSET_SCHEMA } };

const CHOICES = { [HTML]: { schema: PAGE_SCHEMA }, [JSON_TYPE]: { schema: LINKSET_SCHEMA }, [LINKSET]: { schema: LINKSET_SCHEMA } };

/** What the path of a Digital Link names, decoded once. */
interface LinkNames {
  readonly gtin: string;
  readonly lot?: string;
  readonly serial?: string;
}

/** @throws DomainError 400 `gtin_malformed`, 404 `passport_not_found` for what no lot number, serial number or tenant can be */
function addressOf({ gtin, lot, serial }: LinkNames, request: PassportRequest): LinkAddress {
  const product = gtin14(gtin);
  if (product === null) throw gtinMalformed();
  const key = LotKey.of({ tlc: lot ?? serial!, gtin: product, serial: serial ?? null });
  const link = linkPathOf(key.text);
  if (link === null || (serial !== undefined && key.kind !== 'item')) throw passportNotFound();
  const tenant = queryOf(request, 'tenant');
  if (Array.isArray(tenant)) throw passportNotFound();
  return { link, lot: serial === undefined ? null : (lot ?? null), tenant: tenant ?? null };
}

/** In the order in which decorators of a method are applied: the last one of a list first. */
const LinkRoute = (operationId: string, of: string): MethodDecorator =>
  applyDecorators(
    ApiProblems(gtinMalformed, passportNotFound, linkTypeUnknown, notAcceptable, passportWithdrawn),
    RefusesWithPage(),
    NotModified(),
    ApiResponse({ status: 300, description: 'Several tenants have a passport at this link: their links', content: CHOICES }),
    ApiResponse({ status: 200, description: 'The passport', content: SHOWN }),
    ApiQuery({
      name: 'tenant',
      required: false,
      description: 'Slug of the tenant whose passport it is, where several have one at this link',
    }),
    ApiQuery({ name: 'linkType', required: false, description: `\`linkset\`, or one of ${LINK_TYPES.join(', ')}` }),
    ApiParam({ name: 'gtin', description: '8, 12, 13 or 14 digits with their check digit' }),
    ApiOperation({
      operationId,
      summary: `Passport of ${of}, by its GS1 Digital Link`,
      description: 'A page, JSON or a linkset (RFC 9264), by `Accept`. An unknown lot and one without a passport are the same 404.',
    }),
  );

@ApiTags('Passports')
@Controller()
@Access('public')
@HeavyForPublic()
export class PublicPassportController {
  constructor(private readonly showPassport: ShowPassport) {}

  @Get('01/:gtin/10/:lot')
  @LinkRoute('openPassportByLink', 'a lot')
  @ApiParam({ name: 'lot', description: 'Lot number, percent-encoded once' })
  byLink(
    @Param('gtin') gtin: string,
    @Param('lot') lot: string,
    @Query('linkType') linkType: string | undefined,
    @Req() request: PassportRequest,
    @Res({ passthrough: true }) reply: PassportReply,
  ): Promise<Buffer | string | undefined> {
    return this.pageOrProblem(request, reply, () => this.answer(addressOf({ gtin, lot }, request), linkType, request, reply));
  }

  @Get('01/:gtin/21/:serial')
  @LinkRoute('openPassportByItemLink', 'a single item')
  @ApiParam({ name: 'serial', description: 'Serial number, percent-encoded once' })
  byItemLink(
    @Param('gtin') gtin: string,
    @Param('serial') serial: string,
    @Query('linkType') linkType: string | undefined,
    @Req() request: PassportRequest,
    @Res({ passthrough: true }) reply: PassportReply,
  ): Promise<Buffer | string | undefined> {
    return this.pageOrProblem(request, reply, () => this.answer(addressOf({ gtin, serial }, request), linkType, request, reply));
  }

  @Get('01/:gtin/10/:lot/21/:serial')
  @LinkRoute('openPassportByItemOfLotLink', 'a single item of a lot')
  @ApiParam({ name: 'lot', description: 'Lot number, percent-encoded once' })
  @ApiParam({ name: 'serial', description: 'Serial number, percent-encoded once' })
  byItemOfLotLink(
    @Param('gtin') gtin: string,
    @Param('lot') lot: string,
    @Param('serial') serial: string,
    @Req() request: PassportRequest,
    @Res({ passthrough: true }) reply: PassportReply,
  ): Promise<Buffer | string | undefined> {
    return this.pageOrProblem(request, reply, () =>
      this.answer(addressOf({ gtin, lot, serial }, request), queryOf(request, 'linkType'), request, reply),
    );
  }

  @Get('p/:passportId')
  @ApiOperation({
    operationId: 'openPassport',
    summary: 'Passport of a lot, by its own id',
    description: 'A page, JSON or a linkset (RFC 9264), by `Accept`.',
  })
  @ApiParam({ name: 'passportId', schema: { type: 'string', pattern: PASSPORT_ID.source } })
  @ApiQuery({ name: 'linkType', required: false, description: `\`linkset\`, or one of ${LINK_TYPES.join(', ')}` })
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
    return this.pageOrProblem(request, reply, () => this.answer({ id: passportId(id) }, linkType, request, reply));
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
    return this.pageOrProblem(request, reply, async () => {
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
    address: PassportAddress,
    linkType: unknown,
    request: PassportRequest,
    reply: PassportReply,
  ): Promise<Buffer | undefined> {
    const accept = request.headers['accept'];
    const type =
      linkType === 'linkset' || linkType === 'all' ? LINKSET : negotiate(Array.isArray(accept) ? accept.join() : accept, OFFERED);
    if (type === null) throw notAcceptable(OFFERED);
    const shown = await this.showPassport.find(address, request);
    if ('choices' in shown) return respondChoices(shown, type, request, reply);
    if (linkType !== undefined && type !== LINKSET && (typeof linkType !== 'string' || linkTypeOf(linkType) === null))
      throw linkTypeUnknown(['linkset', ...LINK_TYPES]);
    reply.header('link', `<${shown.passport.links.self}?linkType=linkset>; rel="linkset"; type="${LINKSET}"`);
    return respond(renderingAs(type, shown), shown, request, reply);
  }

  /** A phone that scanned a code gets a page, whatever became of the passport. */
  private async pageOrProblem<T>(request: PassportRequest, reply: PassportReply, work: () => Promise<T>): Promise<T | string> {
    try {
      return await work();
    } catch (error) {
      const wantsPage = error instanceof DomainError && negotiate(String(request.headers['accept'] ?? ''), [JSON_TYPE, HTML]) === HTML;
      if (!wantsPage || error.status >= 500 || error.status === 429) throw error;
      reply.code(error.status).header('content-type', `${HTML}; charset=utf-8`).header('content-security-policy', PAGE_POLICY);
      return absencePage(error.status === 410 ? 'This passport was withdrawn' : 'No passport', error.message);
    }
  }
}

/** As `@Query` reads it; the routes of links have no room for another parameter. */
function queryOf({ url }: PassportRequest, name: string): string | string[] | undefined {
  const all = new URL(url, 'http://localhost').searchParams.getAll(name);
  return all.length > 1 ? all : all[0];
}

/** RFC 9110 §15.4.1: the service prefers none of them. */
function respondChoices(found: PassportChoices, type: string, { publicOrigin }: PassportRequest, reply: PassportReply): Buffer {
  reply
    .code(300)
    .header('cache-control', 'no-cache')
    .header('vary', 'accept, x-forwarded-host, x-forwarded-proto')
    .header('access-control-allow-origin', '*')
    .header('content-security-policy', PAGE_POLICY)
    .header('content-type', type === HTML ? `${HTML}; charset=utf-8` : type);
  return Buffer.from(type === HTML ? choicesPage(found) : JSON.stringify(linksetOfChoices(found, publicOrigin)));
}

function renderingAs(type: string, shown: PassportOnShow): Rendering {
  if (type === HTML) return rendering(shown, 'page', `${HTML}; charset=utf-8`, () => passportPage(shown.passport));
  if (type === LINKSET) return rendering(shown, 'linkset', LINKSET, () => JSON.stringify(linksetOf(shown.passport)));
  return rendering(shown, 'json', `${JSON_TYPE}; charset=utf-8`, () => JSON.stringify(shown.passport));
}
