import {
  ApiProblems,
  CHAIN_UNAVAILABLE,
  CONTENT_UNAVAILABLE,
  IntegerField,
  StringField,
  HeavyForPublic,
  PublicWork,
  SharedWork,
  NotModified,
} from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor } from '#kernel';
import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { integrityHidden, linkExpired, passportNotFound, passportWithdrawn } from '../errors.js';
import { type PassportRequest, passportId } from '../issuing/passports.dto.js';
import { EVIDENCE_SCHEMA, PAGE_SCHEMA, type PassportReply, rendering, respond } from '../public/public-passport.dto.js';
import type { Rendering } from '../public/renderings.js';
import { type PassportOnShow, ShowPassport } from '../public/show-passport.js';
import { verifyPage, verifyPolicy } from '../verifier/verify.page.js';
import { IssueEvidenceLink } from './issue-evidence-link.js';
import { MakeBundle } from './make-bundle.js';

const DEFAULT_SECONDS = 86_400;

class LinkBody {
  @IntegerField({
    description: 'How long the link opens the file, in seconds',
    min: 60,
    max: 90 * 86_400,
    optional: true,
    default: DEFAULT_SECONDS,
  })
  expiresInSeconds?: number;
}

class BundleLinkView {
  @StringField({ description: 'Opens the whole evidence, bytes and lineage, for everybody who has the link' })
  url: string;

  @StringField({ description: 'Until then', format: 'date-time' })
  expiresAt: string;
}

@ApiTags('Passports')
@Controller()
export class EvidenceController {
  private readonly bundles = new SharedWork<PassportOnShow, string>();

  constructor(
    private readonly showPassport: ShowPassport,
    private readonly makeBundle: MakeBundle,
    private readonly issueEvidenceLink: IssueEvidenceLink,
    private readonly publicWork: PublicWork,
  ) {}

  @Get('p/:passportId/bundle')
  @HeavyForPublic()
  @Access('public')
  @ApiOperation({
    operationId: 'getPassportBundle',
    summary: 'Evidence of a passport: one file that can be checked without the service',
    description:
      'For everybody the event that made the lot, with its receipt and proof; with a signed link the whole lineage and all bytes.',
  })
  @ApiParam({ name: 'passportId', description: '32 hexadecimal digits' })
  @ApiQuery({ name: 'until', required: false, description: 'Of a signed link' })
  @ApiQuery({ name: 'key', required: false, description: 'Of a signed link' })
  @ApiResponse({ status: 200, description: 'Canonical JSON (RFC 8785)', content: { 'application/json': { schema: EVIDENCE_SCHEMA } } })
  @NotModified()
  @ApiProblems(passportNotFound, integrityHidden, linkExpired, passportWithdrawn, CHAIN_UNAVAILABLE, CONTENT_UNAVAILABLE)
  async bundle(
    @Param('passportId') text: string,
    @Query('until') until: unknown,
    @Query('key') key: unknown,
    @Req() request: PassportRequest,
    @Res({ passthrough: true }) reply: PassportReply,
  ): Promise<Buffer | undefined> {
    const id = passportId(text);
    const isSigned = until !== undefined || key !== undefined;
    if (isSigned && !this.issueEvidenceLink.opens(id, until, key)) throw linkExpired();
    const shown = await this.showPassport.show(id, request);
    const { tenantId, passport, issued } = shown;
    const make = (tier: 'public' | 'restricted'): Promise<string> =>
      this.publicWork.run({ tenant: tenantId, ip: request.ip }, () => this.makeBundle.make({ tenantId, passport, ...issued }, tier));
    reply.header('content-disposition', `attachment; filename="passport-${id}.json"`);
    if (!isSigned) return respond(await this.publicBundle(shown, make), shown, request, reply);
    const file = await make('restricted');
    reply.header('content-type', 'application/json; charset=utf-8').header('cache-control', 'private, no-store');
    return Buffer.from(file);
  }

  @Post('api/v1/passports/:passportId/bundle-link')
  @HttpCode(200)
  @Access({ roles: ['TENANT_ADMIN'], everyProcess: true })
  @ApiOperation({ operationId: 'createPassportBundleLink', summary: 'A link that opens the whole evidence of a passport for a time' })
  @ApiOkResponse({ type: BundleLinkView })
  @ApiProblems(passportNotFound)
  async link(
    @CurrentActor() actor: Actor,
    @Param('passportId') id: string,
    @Body() { expiresInSeconds = DEFAULT_SECONDS }: LinkBody,
    @Req() request: PassportRequest,
  ): Promise<BundleLinkView> {
    const { path, expiresAt } = await this.issueEvidenceLink.issue(actor, passportId(id), expiresInSeconds);
    return { url: request.publicOrigin + path, expiresAt };
  }

  @Get('verify')
  @Access('public')
  @ApiOperation({ operationId: 'openVerifier', summary: 'A page that checks an evidence file in the browser, also when it was saved' })
  @ApiResponse({ status: 200, description: 'One file that loads nothing else', content: { 'text/html': { schema: PAGE_SCHEMA } } })
  verify(@Res({ passthrough: true }) reply: PassportReply): string {
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('cache-control', 'public, max-age=300')
      .header('content-security-policy', verifyPolicy());
    return verifyPage();
  }

  /** Cached with its passport; made once, however many clients ask for it at the same time. */
  private async publicBundle(shown: PassportOnShow, make: (tier: 'public') => Promise<string>): Promise<Rendering> {
    const ready = shown.renderings.get('bundle');
    if (ready) return ready;
    const text = await this.bundles.run(shown, () => make('public'));
    return rendering(shown, 'bundle', 'application/json; charset=utf-8', () => text);
  }
}
