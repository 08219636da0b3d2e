import {
  ApiProblems,
  CHAIN_UNAVAILABLE,
  CONTENT_UNAVAILABLE,
  Heavy,
  INVALID_CONTENT,
  ReadsBody,
  isTimeOfCursor,
  listCursor,
  malformedRequest,
} from '#http';
import { Access, CurrentActor, quotaExceeded, tenantHasNoContract, tenantNotFound } from '#identity';
import { type Actor, ROLES, hasRole, invalidContent, isUuid, senderOf } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Body, Controller, Get, Headers, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiHeader, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { captureJobNotFound } from '../errors.js';
import { documentIn } from '../xml/read-epcis-xml.js';
import { type CaptureJob, CaptureJobQueries, type ErrorBehaviour, type JobReader } from './capture-jobs.queries.js';
import { EPCIS_HEADERS, type EpcisRequest, type HeaderReply, jobSummary, jobView, pageRequest, requireOwn, say } from './repository.dto.js';
import { StartCapture } from './start-capture.js';

/** Ten thousand events of two kilobytes. */
export const MAX_DOCUMENT = 20 * 1024 * 1024;

const FREE = { schema: { type: 'object', additionalProperties: true } } as const;
const EPCIS_BODY = {
  schema: { type: 'object', description: 'EPCIS 2.0 in JSON-LD, or EPCIS 1.0 to 2.0 in XML (ISO/IEC 19987)', additionalProperties: true },
} as const;

const readerOf = (actor: Actor): JobReader => ({
  readsAll: hasRole(actor, 'AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN'),
  id: actor.id,
  orgId: actor.orgId,
});

/** The capture interface of EPCIS 2.0.1 (ISO/IEC 19987 §12.6). */
@ApiTags('EPCIS')
@Controller('epcis/:tenant')
@ApiParam({ name: 'tenant', description: 'Slug of your tenant' })
export class EpcisCaptureController {
  constructor(
    private readonly startCapture: StartCapture,
    private readonly jobs: CaptureJobQueries,
    private readonly work: UnitOfWork,
  ) {}

  @Post('capture')
  @Heavy()
  @HttpCode(202)
  @Access({ roles: ROLES })
  @ReadsBody({ bodyLimit: MAX_DOCUMENT, linkedJson: true, xml: true })
  @ApiOperation({
    operationId: 'captureEpcisDocument',
    summary: 'Capture an EPCIS document; what became of each event is in the job',
    description:
      'Read the job until it is no longer `running`. Events that fit a process of the tenant are prepared, and wait for a signature (`awaiting_signature`). All others that are EPCIS are kept as they came: queries find them, and they are not on chain.',
  })
  @ApiHeader({
    name: 'GS1-Capture-Error-Behaviour',
    required: false,
    description: '`rollback` (default): with one event that is not valid none is captured; `proceed`: the others are',
  })
  @ApiConsumes('application/json', 'application/ld+json', 'application/xml')
  @ApiBody(EPCIS_BODY)
  @ApiResponse({ status: 202, description: 'Accepted; `Location` is the job', content: { 'application/json': FREE } })
  @ApiProblems(tenantNotFound, INVALID_CONTENT)
  async capture(
    @CurrentActor() actor: Actor,
    @Param('tenant') tenant: string,
    @Body() body: object,
    @Headers('gs1-capture-error-behaviour') behaviour: string | undefined,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<object> {
    requireOwn(actor, tenant);
    const request = { from: senderOf(actor), errorBehaviour: behaviourIn(behaviour) };
    const job = await this.startCapture.start(actor, await documentIn(body), request);
    say(reply, { ...EPCIS_HEADERS, location: `/epcis/${tenant}/capture/${job.id}`, 'gs1-capture-error-behaviour': job.errorBehaviour });
    return jobSummary(job);
  }

  @Post('events')
  @Heavy()
  @HttpCode(201)
  @Access({ roles: ROLES })
  @ReadsBody({ bodyLimit: MAX_DOCUMENT, linkedJson: true, xml: true })
  @ApiOperation({
    operationId: 'captureEpcisEvent',
    summary: 'Capture one event',
    description: '201 and its address where it is kept or was captured before; 202 and its job where it waits for a signature.',
  })
  @ApiConsumes('application/json', 'application/ld+json', 'application/xml')
  @ApiBody(EPCIS_BODY)
  @ApiResponse({ status: 201, description: 'Captured; `Location` is the event', content: { 'application/json': FREE } })
  @ApiResponse({ status: 202, description: 'It waits for a signature; `Location` is the job', content: { 'application/json': FREE } })
  @ApiProblems(tenantNotFound, tenantHasNoContract, quotaExceeded, INVALID_CONTENT, CHAIN_UNAVAILABLE, CONTENT_UNAVAILABLE)
  async captureOne(
    @CurrentActor() actor: Actor,
    @Param('tenant') tenant: string,
    @Body() body: object,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<object> {
    requireOwn(actor, tenant);
    const job = await this.startCapture.captureNow(actor, await documentIn(body), { from: senderOf(actor), errorBehaviour: 'proceed' });
    const view = await this.viewOf(actor, job);
    const event = view.events[0]!;
    if (event.state === 'refused') throw invalidContent(event.problems);
    const isThere = event.state === 'kept' || event.state === 'recorded';
    const location = isThere ? `/epcis/${tenant}/events/${encodeURIComponent(event.eventID ?? '')}` : `/epcis/${tenant}/capture/${job.id}`;
    reply.code(isThere ? 201 : 202);
    say(reply, { ...EPCIS_HEADERS, location });
    return view;
  }

  @Get('capture')
  @Access('member')
  @ApiOperation({ operationId: 'listCaptureJobs', summary: 'Capture jobs of your organisation, newest first' })
  @ApiResponse({ status: 200, description: 'A page of jobs; its `Link` leads to the next', content: { 'application/json': FREE } })
  @ApiProblems(tenantNotFound)
  async list(
    @CurrentActor() actor: Actor,
    @Param('tenant') tenant: string,
    @Req() request: EpcisRequest,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<object> {
    requireOwn(actor, tenant);
    const { perPage, token } = pageRequest(request);
    const cursors = listCursor(actor.tenantId, 'epcis-capture');
    const [at, id] = token === undefined ? [] : cursors.place(token, ([time, job]) => isTimeOfCursor(time) && isUuid(job));
    const after = at === undefined ? null : { at: new Date(at), id: id! };
    const found = await this.work.read(actor, (tx) => this.jobs.page(tx, readerOf(actor), after, perPage + 1));
    const jobs = found.slice(0, perPage);
    const last = jobs.at(-1);
    say(reply, EPCIS_HEADERS);
    if (found.length <= perPage || !last) return { jobs: jobs.map(jobSummary), nextPageToken: null };
    const nextPageToken = cursors.after(last.createdAt.toISOString(), last.id);
    const url = new URL(request.url, request.publicOrigin);
    url.searchParams.set('nextPageToken', nextPageToken);
    reply.header('link', `<${url.href}>; rel="next"`);
    return { jobs: jobs.map(jobSummary), nextPageToken };
  }

  @Get('capture/:captureId')
  @Access('member')
  @ApiOperation({
    operationId: 'readCaptureJob',
    summary: 'What became of the events of a captured document, with the unsigned transactions that wait',
  })
  @ApiResponse({ status: 200, description: 'The job', content: { 'application/json': FREE } })
  @ApiProblems(tenantNotFound, captureJobNotFound)
  async job(
    @CurrentActor() actor: Actor,
    @Param('tenant') tenant: string,
    @Param('captureId') id: string,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<object> {
    requireOwn(actor, tenant);
    const job = isUuid(id) ? await this.work.read(actor, (tx) => this.jobs.byId(tx, id, readerOf(actor))) : null;
    if (!job) throw captureJobNotFound(id);
    say(reply, EPCIS_HEADERS);
    return this.viewOf(actor, job);
  }

  private async viewOf(actor: Actor, job: CaptureJob): Promise<ReturnType<typeof jobView>> {
    const ids = job.events.flatMap(({ eventId }) => eventId ?? []);
    return jobView(job, await this.work.read(actor, (tx) => this.jobs.statuses(tx, ids)));
  }
}

function behaviourIn(header: string | undefined): ErrorBehaviour {
  if (header === undefined) return 'rollback';
  if (header === 'rollback' || header === 'proceed') return header;
  const message = 'GS1-Capture-Error-Behaviour is rollback or proceed.';
  throw malformedRequest([{ pointer: '/GS1-Capture-Error-Behaviour', code: 'unknown_word', message }]);
}
