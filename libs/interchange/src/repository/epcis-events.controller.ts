import { ApiProblems, Heavy } from '#http';
import { Access, CurrentActor, tenantNotFound } from '#identity';
import type { Actor } from '#kernel';
import { Controller, Delete, Get, HttpCode, Options, Param, Req, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { MAX_EVENTS } from '../capture/capture-document.js';
import { epcisCollectionUnknown, epcisEventNotFound, epcisEventRecorded, queryTooLarge } from '../errors.js';
import type { ListedColumn } from './epcis-events.queries.js';
import { MAX_DOCUMENT } from './capture-jobs.controller.js';
import { DeleteKeptEvent } from './delete-kept-event.js';
import { FindEpcisEvents } from './find-epcis-events.js';
import {
  EPCIS_HEADERS,
  type EpcisRequest,
  type HeaderReply,
  collectionDocument,
  eventDocument,
  pageRequest,
  queryDocument,
  queryIn,
  requireOwn,
  say,
} from './repository.dto.js';

interface Collection {
  /** Null: the things that events name. */
  readonly column: ListedColumn | null;
  /** The parameter of a query for one of its values. */
  readonly parameters: readonly string[];
}

const COLLECTIONS: Readonly<Record<string, Collection>> = {
  eventTypes: { column: 'type', parameters: ['eventType'] },
  bizSteps: { column: 'bizStep', parameters: ['EQ_bizStep'] },
  dispositions: { column: 'disposition', parameters: ['EQ_disposition'] },
  epcs: { column: null, parameters: ['MATCH_anyName'] },
  bizLocations: { column: 'bizLocation', parameters: ['EQ_bizLocation'] },
  readPoints: { column: 'readPoint', parameters: ['EQ_readPoint'] },
};

const JSON_LD = { 'application/ld+json': { schema: { type: 'object', additionalProperties: true } } } as const;
/** By `Accept`; `GS1-EPCIS-Version: 1.2` asks for the XML of that version. */
const JSON_OR_XML = { ...JSON_LD, 'application/xml': { schema: { type: 'string' } } } as const;
const Paged = (): MethodDecorator => (target, name, descriptor) => {
  ApiQuery({ name: 'perPage', required: false, schema: { type: 'integer', minimum: 1, maximum: 1000, default: 30 } })(
    target,
    name,
    descriptor,
  );
  ApiQuery({ name: 'nextPageToken', required: false, schema: { type: 'string' } })(target, name, descriptor);
};

/** @throws DomainError 404 */
function collectionNamed(name: string): Collection {
  if (!Object.hasOwn(COLLECTIONS, name)) throw epcisCollectionUnknown(name, Object.keys(COLLECTIONS));
  return COLLECTIONS[name]!;
}

/** The query interface of EPCIS 2.0.1 (ISO/IEC 19987 §12.7). */
@ApiTags('EPCIS')
@Controller('epcis/:tenant')
@Access('member')
@ApiParam({ name: 'tenant', description: 'Slug of your tenant' })
export class EpcisEventsController {
  constructor(
    private readonly find: FindEpcisEvents,
    private readonly deletion: DeleteKeptEvent,
  ) {}

  @Get('events')
  @Heavy()
  @ApiOperation({
    operationId: 'queryEpcisEvents',
    summary: 'Events by the parameters of SimpleEventQuery, newest first',
    description:
      'Every parameter of SimpleEventQuery (`EQ_bizStep`, `MATCH_anyEPC`, `GE_eventTime`, …); several values are separated by commas. `GS1-Extensions: ext=https://…` gives the namespaces of extensions.',
  })
  @Paged()
  @ApiResponse({ status: 200, description: 'An EPCISQueryDocument; its `Link` leads to the next page', content: JSON_OR_XML })
  @ApiProblems(tenantNotFound, queryTooLarge)
  async events(
    @CurrentActor() actor: Actor,
    @Param('tenant') tenant: string,
    @Req() request: EpcisRequest,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<Buffer> {
    requireOwn(actor, tenant);
    const page = await this.find.page(actor, queryIn(request), pageRequest(request));
    return queryDocument(request, reply, { tenant, queryName: 'SimpleEventQuery' }, page);
  }

  @Get('events/:eventId')
  @ApiOperation({ operationId: 'readEpcisEvent', summary: 'One event by its eventID' })
  @ApiResponse({ status: 200, description: 'The event, with its contexts', content: JSON_OR_XML })
  @ApiProblems(tenantNotFound, epcisEventNotFound)
  async event(
    @CurrentActor() actor: Actor,
    @Param('tenant') tenant: string,
    @Param('eventId') id: string,
    @Req() request: EpcisRequest,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<Buffer> {
    requireOwn(actor, tenant);
    return eventDocument(request, reply, tenant, await this.find.one(actor, id));
  }

  @Delete('events/:eventId')
  @HttpCode(204)
  @Access({ roles: ['COMPLIANCE', 'TENANT_ADMIN'], everyProcess: true })
  @ApiOperation({
    operationId: 'deleteEpcisEvent',
    summary: 'Delete an event that is kept only',
    description: 'An event on chain cannot be deleted: it is voided, and values of it are erased.',
  })
  @ApiNoContentResponse()
  @ApiProblems(tenantNotFound, epcisEventNotFound, epcisEventRecorded)
  async remove(@CurrentActor() actor: Actor, @Param('tenant') tenant: string, @Param('eventId') id: string): Promise<void> {
    requireOwn(actor, tenant);
    await this.deletion.delete(actor, id);
  }

  @Get(':collection')
  @ApiOperation({ operationId: 'listEpcisValues', summary: 'Types, bizSteps, dispositions, things or places that events have' })
  @ApiParam({ name: 'collection', schema: { type: 'string', enum: Object.keys(COLLECTIONS) } })
  @Paged()
  @ApiResponse({ status: 200, description: 'A Collection; its `Link` leads to the next page', content: JSON_LD })
  @ApiProblems(tenantNotFound, epcisCollectionUnknown)
  async values(
    @CurrentActor() actor: Actor,
    @Param('tenant') tenant: string,
    @Param('collection') name: string,
    @Req() request: EpcisRequest,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<Buffer> {
    requireOwn(actor, tenant);
    const { column } = collectionNamed(name);
    return collectionDocument(request, reply, tenant, await this.find.values(actor, column, pageRequest(request)));
  }

  @Get(':collection/:value')
  @ApiOperation({
    operationId: 'readEpcisValue',
    summary: 'What there is about one type, bizStep, disposition, thing or place: its events',
  })
  @ApiParam({ name: 'collection', schema: { type: 'string', enum: Object.keys(COLLECTIONS) } })
  @ApiParam({ name: 'value', description: 'Percent-encoded once, as `https%3A%2F%2Fid.gs1.org%2F00%2F095200000000000011`' })
  @ApiResponse({ status: 200, description: 'A Collection with the names of the resources below', content: JSON_LD })
  @ApiProblems(tenantNotFound, epcisCollectionUnknown)
  value(
    @CurrentActor() actor: Actor,
    @Param() { tenant, collection }: { readonly tenant: string; readonly collection: string },
    @Req() request: EpcisRequest,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Buffer {
    requireOwn(actor, tenant);
    collectionNamed(collection);
    return collectionDocument(request, reply, tenant, { items: ['events'], next: null });
  }

  @Get(':collection/:value/events')
  @Heavy()
  @ApiOperation({ operationId: 'queryEpcisEventsOf', summary: 'Events with one type, bizStep, disposition, thing or place' })
  @ApiParam({ name: 'collection', schema: { type: 'string', enum: Object.keys(COLLECTIONS) } })
  @ApiParam({ name: 'value', description: 'Percent-encoded once, as `https%3A%2F%2Fid.gs1.org%2F00%2F095200000000000011`' })
  @Paged()
  @ApiResponse({ status: 200, description: 'An EPCISQueryDocument; its `Link` leads to the next page', content: JSON_OR_XML })
  @ApiProblems(tenantNotFound, epcisCollectionUnknown, queryTooLarge)
  async eventsOf(
    @CurrentActor() actor: Actor,
    @Param() { tenant, collection, value }: { readonly tenant: string; readonly collection: string; readonly value: string },
    @Req() request: EpcisRequest,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<Buffer> {
    requireOwn(actor, tenant);
    const more = Object.fromEntries(collectionNamed(collection).parameters.map((name) => [name, [value]]));
    const page = await this.find.page(actor, queryIn(request, more), pageRequest(request));
    return queryDocument(request, reply, { tenant, queryName: 'SimpleEventQuery' }, page);
  }
}

/** What the repository can do (ISO/IEC 19987 §12.3). It is the same for all tenants, and says nothing about any. */
@ApiTags('EPCIS')
@Controller('epcis/:tenant')
@Access('public')
@ApiParam({ name: 'tenant', description: 'Slug of a tenant' })
export class EpcisDiscoveryController {
  @Options()
  @HttpCode(204)
  @ApiOperation({ operationId: 'discoverEpcis', summary: 'Versions and limits of the repository, as headers' })
  @ApiResponse({ status: 204, description: 'GS1-EPCIS-…, GS1-CBV-… and limits' })
  discover(@Req() request: EpcisRequest, @Res({ passthrough: true }) reply: HeaderReply): void {
    discovery(request, reply, 'GET, OPTIONS');
  }

  @Options(':collection')
  @HttpCode(204)
  @ApiOperation({ operationId: 'discoverEpcisResource', summary: 'The same for one resource, with what it allows' })
  @ApiResponse({ status: 204, description: 'GS1-EPCIS-…, GS1-CBV-…, limits and Allow' })
  discoverResource(
    @Param('collection') resource: string,
    @Req() request: EpcisRequest,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): void {
    discovery(request, reply, ['capture', 'events', 'queries'].includes(resource) ? 'GET, POST, OPTIONS' : 'GET, OPTIONS');
  }
}

function discovery({ publicOrigin }: EpcisRequest, reply: HeaderReply, allow: string): void {
  say(reply, {
    ...EPCIS_HEADERS,
    allow,
    'gs1-vendor-version': '2.0.0',
    'gs1-extensions': `trc=${publicOrigin}/ns/trc#`,
    'gs1-epcis-capture-limit': String(MAX_EVENTS),
    'gs1-epcis-capture-file-size-limit': String(MAX_DOCUMENT),
    'gs1-capture-error-behaviour': 'rollback, proceed',
    'access-control-allow-origin': '*',
  });
}
