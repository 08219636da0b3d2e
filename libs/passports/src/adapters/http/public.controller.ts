import { ApiProblems, malformedRequest } from '#http';
import { Access } from '#identity';
import { DomainError } from '#kernel';
import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { type Asked, ShowPassport, type Shown } from '../../application/show-passport.js';
import { gtin14 } from '../../domain/digital-link.js';
import { gtinMalformed, linkTypeUnknown, notAcceptable, passportNotFound, passportWithdrawn } from '../../domain/errors.js';
import { LINK_TYPES, linkTypeOf, linksetOf } from '../../domain/linkset.js';
import { negotiate } from '../../domain/negotiate.js';
import { absencePage, passportPage } from '../render/passport-page.js';
import { LINKSET_SCHEMA, NotModified, PAGE_SCHEMA, PASSPORT_SCHEMA, RefusesWithPage } from './passport.schemas.js';
import { type Answering, type Asking, PAGE_POLICY, answer, made } from './public-answer.js';

const HTML = 'text/html';
const JSON_TYPE = 'application/json';
const LINKSET = 'application/linkset+json';
const MALFORMED = { code: 'malformed_request', status: 400 };
const OFFERED = [HTML, JSON_TYPE, LINKSET];
const SHOWN = { [HTML]: { schema: PAGE_SCHEMA }, [JSON_TYPE]: { schema: PASSPORT_SCHEMA }, [LINKSET]: { schema: LINKSET_SCHEMA } };
const PASSPORT_ID = /^[0-9a-f]{32}$/;

@ApiTags('passports')
@Controller()
@Access('public')
export class PublicPassportController {
  constructor(private readonly showPassport: ShowPassport) {}

  @Get('01/:gtin/10/:lot')
  @ApiOperation({
    summary: 'Passport of a lot, by its GS1 Digital Link',
    description: 'A page, JSON or a linkset (RFC 9264), by `Accept`. An unknown lot and one without a passport are the same 404.',
  })
  @ApiParam({ name: 'gtin', description: '8, 12, 13 or 14 digits with their check digit' })
  @ApiParam({ name: 'lot', description: 'Lot code, percent-encoded once' })
  @ApiQuery({ name: 'linkType', required: false, description: `\`linkset\`, or one of ${LINK_TYPES.join(', ')}` })
  @ApiResponse({ status: 200, description: 'The passport', content: SHOWN })
  @NotModified()
  @RefusesWithPage()
  @ApiProblems(gtinMalformed, passportNotFound, linkTypeUnknown, notAcceptable, passportWithdrawn)
  byLink(
    @Param('gtin') gtin: string,
    @Param('lot') lot: string,
    @Query('linkType') linkType: string | undefined,
    @Req() request: Asking,
    @Res({ passthrough: true }) reply: Answering,
  ): Promise<Buffer | string | undefined> {
    return this.pageOrProblem(request, reply, () => this.answer({ gtin: gtin14(gtin), lot }, linkType, request, reply));
  }

  @Get('p/:passportId')
  @ApiOperation({ summary: 'Passport of a lot, by its own id', description: 'A page, JSON or a linkset (RFC 9264), by `Accept`.' })
  @ApiParam({ name: 'passportId', schema: { type: 'string', pattern: PASSPORT_ID.source } })
  @ApiQuery({ name: 'linkType', required: false, description: `\`linkset\`, or one of ${LINK_TYPES.join(', ')}` })
  @ApiResponse({ status: 200, description: 'The passport', content: SHOWN })
  @NotModified()
  @RefusesWithPage()
  @ApiProblems(MALFORMED, passportNotFound, linkTypeUnknown, notAcceptable, passportWithdrawn)
  byId(
    @Param('passportId') id: string,
    @Query('linkType') linkType: string | undefined,
    @Req() request: Asking,
    @Res({ passthrough: true }) reply: Answering,
  ): Promise<Buffer | string | undefined> {
    return this.pageOrProblem(request, reply, () => this.answer({ id: passportId(id) }, linkType, request, reply));
  }

  private async answer(asked: Asked, linkType: unknown, request: Asking, reply: Answering): Promise<Buffer | undefined> {
    const accept = request.headers['accept'];
    const type =
      linkType === 'linkset' || linkType === 'all' ? LINKSET : negotiate(Array.isArray(accept) ? accept.join() : accept, OFFERED);
    if (type === null) throw notAcceptable(OFFERED);
    const shown = await this.showPassport.show(asked, originOf(request));
    if (linkType !== undefined && type !== LINKSET && (typeof linkType !== 'string' || linkTypeOf(linkType) === null))
      throw linkTypeUnknown(['linkset', ...LINK_TYPES]);
    reply.header('link', `<${shown.passport.links.self}?linkType=linkset>; rel="linkset"; type="${LINKSET}"`);
    return answer(madeAs(type, shown), shown, request, reply);
  }

  /** Who scans a code with a phone reads a page, whatever became of the passport. */
  private async pageOrProblem<T>(request: Asking, reply: Answering, work: () => Promise<T>): Promise<T | string> {
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

function madeAs(type: string, shown: Shown): ReturnType<typeof made> {
  if (type === HTML) return made(shown, 'page', `${HTML}; charset=utf-8`, () => passportPage(shown.passport));
  if (type === LINKSET) return made(shown, 'linkset', LINKSET, () => JSON.stringify(linksetOf(shown.passport)));
  return made(shown, 'json', `${JSON_TYPE}; charset=utf-8`, () => JSON.stringify(shown.passport));
}

const HOST = /^[\w.-]{1,253}(:\d{1,5})?$|^\[[0-9a-f:.]{2,45}\](:\d{1,5})?$/i;

/** `https://host` as it was asked: it goes into links and codes, so it must be a name. @throws DomainError 400 */
export function originOf({ protocol, host }: Asking): string {
  if (HOST.test(host)) return `${protocol}://${host}`;
  throw malformedRequest([{ pointer: '/host', code: 'host_malformed', message: 'The header Host is no name of a host.' }]);
}

/** One of another form is no passport, and never becomes a query. @throws DomainError 404 */
export function passportId(text: string): string {
  if (!PASSPORT_ID.test(text)) throw passportNotFound();
  return text;
}
