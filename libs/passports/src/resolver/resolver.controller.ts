import { ApiProblems, LimitAs } from '#http';
import { Access } from '#identity';
import { DigitalLinkFault, readDigitalLink } from '#kernel';
import { applyDecorators, Controller, Get, Param, Req, Res } from '@nestjs/common';
import { RouteConstraints } from '@nestjs/platform-fastify';
import { ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { digitalLinkMalformed, digitalLinkNotFound, linkTypeUnknown, passportNotFound, passportWithdrawn } from '../errors.js';
import { PASSPORT_ID, type PassportRequest, passportId } from '../issuing/passports.dto.js';
import { type PassportReply, RefusesWithPage, pageOrProblem } from '../public/public-passport.dto.js';
import { ShowPassport } from '../public/show-passport.js';
import { ResolveLink } from './resolve-link.js';
import { respondLinks, respondTenants } from './resolver-answers.dto.js';
import { DESCRIPTION_SCHEMA, LINKSETS, resolverDescription } from './resolver.dto.js';

/** In the order in which decorators of a method are applied: the last one of a list first. */
const DigitalLinkRoute = (): MethodDecorator =>
  applyDecorators(
    ApiProblems(
      { code: 'malformed_request', status: 400 },
      { code: 'route_not_found', status: 404 },
      digitalLinkMalformed,
      digitalLinkNotFound,
      linkTypeUnknown,
      passportWithdrawn,
    ),
    RefusesWithPage(),
    ApiResponse({ status: 307, description: 'The default link, or the link that the request asks for, with the query of the request' }),
    ApiResponse({ status: 300, description: 'Several tenants, or several links, fit: all of them', content: LINKSETS }),
    ApiResponse({ status: 200, description: 'All links (RFC 9264)', content: LINKSETS }),
    ApiQuery({
      name: 'tenant',
      required: false,
      description: 'Slug of the tenant whose links they are, where several have some for this key',
    }),
    ApiQuery({
      name: 'linkType',
      required: false,
      description: '`linkset` or `all` for all links; otherwise a link type of the GS1 Web Vocabulary, such as `gs1:recallStatus`',
    }),
    ApiParam({ name: 'path', description: 'Path of a GS1 Digital Link: `01/09520123450014/10/A1`, compressed or not' }),
    ApiOperation({
      operationId: 'resolveDigitalLink',
      summary: 'Resolve a GS1 Digital Link of any key: it leads to a passport, or to a link of a tenant',
      description: 'A GS1-conformant resolver. An unknown key and one without links are the same 404.',
    }),
  );

@ApiTags('Links')
@Controller()
@Access('public')
export class ResolverController {
  constructor(
    private readonly resolveLink: ResolveLink,
    private readonly showPassport: ShowPassport,
  ) {}

  @Get('.well-known/gs1resolver')
  @ApiOperation({ operationId: 'describeResolver', summary: 'What this resolver of GS1 Digital Links supports' })
  @ApiResponse({
    status: 200,
    description: 'The resolver description file',
    content: { 'application/json': { schema: DESCRIPTION_SCHEMA } },
  })
  describe(@Req() request: PassportRequest, @Res({ passthrough: true }) reply: PassportReply): object {
    reply.header('cache-control', 'public, max-age=3600').header('vary', 'x-forwarded-host, x-forwarded-proto');
    return resolverDescription(request.publicOrigin);
  }

  @Get('p/:passportId/events')
  @ApiOperation({
    operationId: 'openPassportEvents',
    summary: 'The events behind a passport, in EPCIS',
    description: 'Leads to the events of the lot in the API, which asks for a credential.',
  })
  @ApiParam({ name: 'passportId', schema: { type: 'string', pattern: PASSPORT_ID.source } })
  @ApiResponse({ status: 303, description: 'Where its events are' })
  @RefusesWithPage()
  @ApiProblems(passportNotFound, passportWithdrawn)
  async events(
    @Param('passportId') id: string,
    @Req() request: PassportRequest,
    @Res({ passthrough: true }) reply: PassportReply,
  ): Promise<string | undefined> {
    return pageOrProblem(request, reply, async () => {
      const { issued } = await this.showPassport.show(passportId(id), request);
      const query = new URLSearchParams({ format: 'epcis', all: 'true', tlc: issued.key });
      reply.code(303).header('location', `/api/v1/events?${query.toString()}`);
      return undefined;
    });
  }

  /** Only of paths that begin with a key of GS1, or are a compressed link (`isDigitalLinkPath`). */
  @Get('*')
  @RouteConstraints({ digitalLink: 'yes' })
  @LimitAs('link')
  @DigitalLinkRoute()
  resolve(@Req() request: PassportRequest, @Res({ passthrough: true }) reply: PassportReply): Promise<Buffer | string | undefined> {
    return pageOrProblem(request, reply, async () => {
      const [path = '', query = ''] = request.url.split(/\?(.*)/s);
      const link = readDigitalLink(path);
      if (link === null || link instanceof DigitalLinkFault) throw digitalLinkMalformed(link?.message ?? 'This is not a GS1 Digital Link.');
      const asked = new URLSearchParams(query);
      const [linkTypes, tenants] = [asked.getAll('linkType'), asked.getAll('tenant')];
      // No slug has U+0000, and no database.
      if (tenants.length > 1 || tenants[0]?.includes('\0')) throw digitalLinkNotFound();
      const found = await this.resolveLink.resolve(link, tenants[0] ?? null);
      const exchange = { request, reply, link, query };
      if (found.length > 1) return respondTenants(found, exchange);
      return respondLinks(found[0]!, linkTypes, exchange);
    });
  }
}
