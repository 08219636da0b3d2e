import { ApiProblems, HeavyForPublic, negotiate } from '#http';
import { Access } from '#identity';
import { PAGE_POLICY, canonicalJson, languageOf } from '#kernel';
import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { compressedDocument, contextOf } from '../composing/dpp-document.rules.js';
import {
  grantExpired,
  grantForAnotherPassport,
  grantUnknown,
  grantUsed,
  grantWithdrawn,
  notAcceptable,
  passportNotFound,
  passportWithdrawn,
} from '../errors.js';
import { PASSPORT_ID, type PassportRequest, passportId } from '../issuing/passports.dto.js';
import {
  PAGE_SCHEMA,
  type PassportReply,
  RefusesWithPage,
  acceptedLanguages,
  pageOrProblem,
  policyOf,
} from '../public/public-passport.dto.js';
import { ShowPassport } from '../public/show-passport.js';
import { offerPage, openedPage } from './granted.page.js';
import { OpenGrant } from './open-grant.js';

const OFFERED = ['text/html', 'application/json'];
const DOCUMENT = { schema: { type: 'object', additionalProperties: true } };

/** For persons with a link: the same as `X-DPP-Grant` of the methods of EN 18222. */
@ApiTags('Passports')
@Controller('p/:passportId/granted')
@Access('public')
@HeavyForPublic()
export class GrantedPassportController {
  constructor(
    private readonly showPassport: ShowPassport,
    private readonly openGrant: OpenGrant,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'openGrantedPassport',
    summary: 'What a grant opens of a passport',
    description: 'A browser gets a page that says what would be opened, with a button (`open=yes`); JSON opens it at once.',
  })
  @ApiParam({ name: 'passportId', schema: { type: 'string', pattern: PASSPORT_ID.source } })
  @ApiQuery({ name: 'grant', required: false, description: 'The token of the grant' })
  @ApiQuery({ name: 'open', required: false, description: '`yes` opens it for a browser, too' })
  @ApiResponse({
    status: 200,
    description: 'The passport',
    content: { 'text/html': { schema: PAGE_SCHEMA }, 'application/json': DOCUMENT },
  })
  @RefusesWithPage()
  @ApiProblems(passportNotFound, passportWithdrawn, notAcceptable)
  @ApiProblems(grantUnknown, grantForAnotherPassport, grantWithdrawn, grantExpired, grantUsed)
  granted(
    @Param('passportId') id: string,
    @Query('grant') grant: unknown,
    @Query('open') open: unknown,
    @Req() request: PassportRequest,
    @Res({ passthrough: true }) reply: PassportReply,
  ): Promise<string> {
    // The address is a secret: nobody keeps the answer, and no page that it leads to learns of it.
    reply.header('cache-control', 'private, no-store').header('referrer-policy', 'no-referrer').header('x-robots-tag', 'noindex');
    return pageOrProblem(request, reply, () =>
      this.answer(id, { token: typeof grant === 'string' ? grant : '', isOpening: open === 'yes' }, request, reply),
    );
  }

  private async answer(
    id: string,
    { token, isOpening }: { readonly token: string; readonly isOpening: boolean },
    request: PassportRequest,
    reply: PassportReply,
  ): Promise<string> {
    const type = negotiate(request.headers['accept']?.toString(), OFFERED);
    if (type === null) throw notAcceptable(OFFERED);
    const shown = await this.showPassport.show(passportId(id), request);
    const language = languageOf(acceptedLanguages(request));
    reply.header('content-type', `${type}; charset=utf-8`);
    if (type === 'text/html' && !isOpening) {
      reply.header('content-security-policy', PAGE_POLICY.replace("form-action 'none'", "form-action 'self'"));
      return offerPage(await this.openGrant.read(shown, token), shown.passport, token, language);
    }
    const { grant, document, more } = await this.openGrant.open(shown, token);
    if (type === 'application/json') return canonicalJson({ ...contextOf(document.elements), ...compressedDocument(document) });
    reply.header('content-security-policy', policyOf(shown.passport));
    return openedPage(grant, shown.passport, more, language);
  }
}
