import { ApiProblems, Heavy, INVALID_CONTENT, listCursor } from '#http';
import { Access, CurrentActor, tenantNotFound } from '#identity';
import type { Actor } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { epcisQueryNameTaken, epcisQueryNotFound, epcisQuerySubscribed, queryTooLarge, tooManyEpcisQueries } from '../errors.js';
import type { Json } from '../epcis/json.js';
import { DefineQuery, simpleQueryOf } from './define-query.js';
import { FindEpcisEvents } from './find-epcis-events.js';
import { type NamedQuery, NamedQueryQueries } from './named-queries.queries.js';
import { EPCIS_HEADERS, type EpcisRequest, type HeaderReply, pageRequest, queryDocument, requireOwn, say } from './repository.dto.js';

const FREE = { schema: { type: 'object', additionalProperties: true } } as const;
const viewOf = ({ name, parameters, createdAt }: NamedQuery): object => ({ name, query: parameters, createdAt: createdAt.toISOString() });

/** Queries with a name (ISO/IEC 19987 §12.8). */
@ApiTags('EPCIS')
@Controller('epcis/:tenant/queries')
@ApiParam({ name: 'tenant', description: 'Slug of your tenant' })
export class EpcisQueriesController {
  constructor(
    private readonly definition: DefineQuery,
    private readonly queries: NamedQueryQueries,
    private readonly find: FindEpcisEvents,
    private readonly work: UnitOfWork,
  ) {}

  @Post()
  @Access({ roles: ['TENANT_ADMIN'], everyProcess: true })
  @ApiOperation({ operationId: 'defineEpcisQuery', summary: 'Give a SimpleEventQuery a name' })
  @ApiBody({ schema: { type: 'object', description: '`name`, and `query` with the parameters', additionalProperties: true } })
  @ApiResponse({ status: 201, description: 'Defined; `Location` is the query', content: { 'application/json': FREE } })
  @ApiProblems(tenantNotFound, epcisQueryNameTaken, INVALID_CONTENT, tooManyEpcisQueries)
  async define(
    @CurrentActor() actor: Actor,
    @Param('tenant') tenant: string,
    @Body() body: object,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<object> {
    requireOwn(actor, tenant);
    const defined = await this.definition.define(actor, body as Json);
    say(reply, { ...EPCIS_HEADERS, location: `/epcis/${tenant}/queries/${defined.name}` });
    return viewOf(defined);
  }

  @Get()
  @Access('member')
  @ApiOperation({ operationId: 'listEpcisQueries', summary: 'Queries with a name' })
  @ApiResponse({ status: 200, description: 'A page of queries; its `Link` leads to the next', content: { 'application/json': FREE } })
  @ApiProblems(tenantNotFound)
  async list(
    @CurrentActor() actor: Actor,
    @Param('tenant') tenant: string,
    @Req() request: EpcisRequest,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<object> {
    requireOwn(actor, tenant);
    const { perPage, token } = pageRequest(request);
    const cursors = listCursor(actor.tenantId, 'epcis-queries');
    const [after = null] = token === undefined ? [] : cursors.place(token, (parts) => parts.length === 1);
    const found = await this.work.read(actor, (tx) => this.queries.page(tx, after, perPage + 1));
    const queries = found.slice(0, perPage);
    say(reply, EPCIS_HEADERS);
    if (found.length > perPage) {
      const url = new URL(request.url, request.publicOrigin);
      url.searchParams.set('nextPageToken', cursors.after(queries.at(-1)!.name));
      reply.header('link', `<${url.href}>; rel="next"`);
    }
    return { queries: queries.map(viewOf) };
  }

  @Get(':queryName')
  @Access('member')
  @ApiOperation({ operationId: 'readEpcisQuery', summary: 'One query with a name' })
  @ApiResponse({ status: 200, description: 'The query', content: { 'application/json': FREE } })
  @ApiProblems(tenantNotFound, epcisQueryNotFound)
  async one(@CurrentActor() actor: Actor, @Param('tenant') tenant: string, @Param('queryName') name: string): Promise<object> {
    requireOwn(actor, tenant);
    return viewOf(await this.definition.byName(actor, name));
  }

  @Get(':queryName/events')
  @Heavy()
  @Access('member')
  @ApiOperation({ operationId: 'runEpcisQuery', summary: 'The events of a query with a name' })
  @ApiParam({ name: 'queryName', schema: { type: 'string' } })
  @ApiResponse({
    status: 200,
    description: 'An EPCISQueryDocument; its `Link` leads to the next page',
    content: { 'application/ld+json': FREE, 'application/xml': { schema: { type: 'string' } } },
  })
  @ApiProblems(tenantNotFound, epcisQueryNotFound, queryTooLarge)
  async events(
    @CurrentActor() actor: Actor,
    @Param() { tenant, queryName }: { readonly tenant: string; readonly queryName: string },
    @Req() request: EpcisRequest,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<Buffer> {
    requireOwn(actor, tenant);
    const query = simpleQueryOf(await this.definition.byName(actor, queryName));
    return queryDocument(request, reply, { tenant, queryName }, await this.find.page(actor, query, pageRequest(request)));
  }

  @Delete(':queryName')
  @HttpCode(204)
  @Access({ roles: ['TENANT_ADMIN'], everyProcess: true })
  @ApiOperation({ operationId: 'deleteEpcisQuery', summary: 'Delete a query with a name' })
  @ApiNoContentResponse()
  @ApiProblems(tenantNotFound, epcisQueryNotFound, epcisQuerySubscribed)
  async remove(@CurrentActor() actor: Actor, @Param('tenant') tenant: string, @Param('queryName') name: string): Promise<void> {
    requireOwn(actor, tenant);
    await this.definition.remove(actor, name);
  }
}
