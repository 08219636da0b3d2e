import { ApiProblems, IntegerField, StringField } from '#http';
import { Access, AuditLog, CurrentActor } from '#identity';
import { type Actor, Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { BundleLinks } from '../../application/bundle-links.js';
import { MakeBundle } from '../../application/make-bundle.js';
import { ShowPassport, type Shown } from '../../application/show-passport.js';
import { integrityHidden, linkExpired, passportNotFound, passportWithdrawn } from '../../domain/errors.js';
import { Passports } from '../../ports.js';
import { VERIFY_POLICY, verifyPage } from '../render/verify-page.js';
import { EVIDENCE_SCHEMA, NotModified, PAGE_SCHEMA } from './passport.schemas.js';
import { type Answering, type Asking, answer, made } from './public-answer.js';
import { originOf, passportId } from './public.controller.js';

class LinkBody {
  @IntegerField({ description: 'How long the link opens the file, in seconds', min: 60, max: 90 * 86_400, optional: true, default: 86_400 })
  expiresInSeconds?: number;
}

class BundleLinkView {
  @StringField({ description: 'Opens the whole evidence, bytes and lineage, to whoever has it' })
  url: string;

  @StringField({ description: 'Until then', format: 'date-time' })
  expiresAt: string;
}

@ApiTags('passports')
@Controller()
export class EvidenceController {
  constructor(
    private readonly showPassport: ShowPassport,
    private readonly makeBundle: MakeBundle,
    private readonly links: BundleLinks,
    private readonly passports: Passports,
    private readonly work: UnitOfWork,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  @Get('p/:passportId/bundle')
  @Access('public')
  @ApiOperation({
    summary: 'Evidence of a passport: one file that can be checked without the service',
    description:
      'To everybody the event that made the lot, with its receipt and proof; with a signed link the whole lineage and all bytes.',
  })
  @ApiParam({ name: 'passportId', description: '32 hexadecimal digits' })
  @ApiQuery({ name: 'until', required: false, description: 'Of a signed link' })
  @ApiQuery({ name: 'key', required: false, description: 'Of a signed link' })
  @ApiResponse({ status: 200, description: 'Canonical JSON (RFC 8785)', content: { 'application/json': { schema: EVIDENCE_SCHEMA } } })
  @NotModified()
  @ApiProblems(passportNotFound, integrityHidden, linkExpired, passportWithdrawn)
  async bundle(
    @Param('passportId') text: string,
    @Query('until') until: unknown,
    @Query('key') key: unknown,
    @Req() request: Asking,
    @Res({ passthrough: true }) reply: Answering,
  ): Promise<Buffer | undefined> {
    const id = passportId(text);
    const signed = until !== undefined || key !== undefined;
    if (signed && !(typeof until === 'string' && typeof key === 'string' && this.links.opens(id, until, key, this.clock.now())))
      throw linkExpired();
    const shown = await this.showPassport.show({ id }, originOf(request));
    const { tenantId, passport, issued } = shown;
    const make = (tier: 'public' | 'restricted'): Promise<string> => this.makeBundle.make({ tenantId, passport, ...issued }, tier);
    reply.header('content-disposition', `attachment; filename="passport-${id}.json"`);
    if (!signed) return answer(await this.publicBundle(shown, make), shown, request, reply);
    const file = await make('restricted');
    reply.header('content-type', 'application/json; charset=utf-8').header('cache-control', 'private, no-store');
    return Buffer.from(file);
  }

  /** Kept with its passport; made once, however many ask for it at a time. */
  private async publicBundle(shown: Shown, make: (tier: 'public') => Promise<string>): Promise<ReturnType<typeof made>> {
    const underway = (shown.made.get('bundle underway') as Promise<string> | undefined) ?? make('public');
    shown.made.set('bundle underway', underway);
    try {
      const text = await underway;
      return made(shown, 'bundle', 'application/json; charset=utf-8', () => text);
    } catch (error) {
      shown.made.delete('bundle underway');
      throw error;
    }
  }

  @Post('api/v1/passports/:passportId/bundle-link')
  @HttpCode(200)
  @Access({ roles: ['TENANT_ADMIN'] })
  @ApiOperation({ summary: 'A link that opens the whole evidence of a passport for a time' })
  @ApiOkResponse({ type: BundleLinkView })
  @ApiProblems(passportNotFound)
  async link(
    @CurrentActor() actor: Actor,
    @Param('passportId') text: string,
    @Body() { expiresInSeconds = 86_400 }: LinkBody,
    @Req() request: Asking,
  ): Promise<BundleLinkView> {
    const id = passportId(text);
    const until = Math.floor(this.clock.now().getTime() / 1_000) + expiresInSeconds;
    const expiresAt = new Date(until * 1_000).toISOString();
    await this.work.inTransaction(actor, async (tx) => {
      if (!(await this.passports.issued(tx, id))) throw passportNotFound();
      await this.audit.record(tx, actor.tenantId, actor, { action: 'passport.evidence_shared', details: { passportId: id, expiresAt } });
    });
    return { url: `${originOf(request)}/p/${id}/bundle?until=${until}&key=${this.links.sign(id, until)}`, expiresAt };
  }

  @Get('verify')
  @Access('public')
  @ApiOperation({ summary: 'A page that checks an evidence file in the browser, also when it was saved' })
  @ApiResponse({ status: 200, description: 'One file, without anything to load', content: { 'text/html': { schema: PAGE_SCHEMA } } })
  verify(@Res({ passthrough: true }) reply: Answering): string {
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('cache-control', 'public, max-age=300')
      .header('content-security-policy', VERIFY_POLICY());
    return verifyPage();
  }
}
