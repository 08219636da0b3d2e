import { Controller, Get, Headers, Param, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import {
  ApiProblems,
  CONTENT_UNAVAILABLE,
  EnumField,
  NotModified,
  ObjectListField,
  StringField,
  type TaggedReply,
  isUnchanged,
  mayKeep,
} from '#http';
import { Access, CurrentActor } from '#identity';
import { type Actor, processOutOfScope } from '#kernel';
import { ReadContent } from './read-content.js';
import { type VerificationReport, VerifyEvent } from './verify-event.js';
import { contentCorrupt, contentNotFound, contentRestricted, eventNotFound } from '../errors.js';
import { LINKS, LINK_STATES } from './verification.js';

class LinkView {
  @EnumField(LINKS, {
    description:
      'bytes_cid: the stored bytes hash to the CID; cid_data_hash: CID and data hash are one digest; data_hash_chain: the transaction recorded this data hash; record_content: the record shows the stored words; content_sender: who signed is whom the content was prepared for; record_chain: actor, inputs, outputs and status of the record are what the contract committed to',
  })
  link: string;

  @EnumField(LINK_STATES, { description: '`unreachable`: nothing can be concluded now; `not_landed`: nothing is on chain yet' })
  status: string;

  @StringField({ description: 'One sentence' })
  detail: string;
}

export class VerificationView {
  @StringField({ description: 'The event', format: 'uuid' })
  eventId: string;

  @EnumField(LINK_STATES, { description: 'The worst of the links' })
  status: string;

  @StringField({ description: 'When store and chain were asked', format: 'date-time' })
  checkedAt: string;

  @StringField({ description: 'CID of the stored content', nullable: true })
  ipfsCid: string | null;

  @StringField({ description: 'sha2-256 of the stored content', nullable: true })
  dataHash: string | null;

  @StringField({ description: 'Transaction', nullable: true })
  txHash: string | null;

  @ObjectListField(() => LinkView, { description: 'From the bytes to the chain' })
  links: LinkView[];
}

const verificationView = ({ event, status, links, checkedAt }: VerificationReport): VerificationView => ({
  eventId: event.id,
  status,
  checkedAt: checkedAt.toISOString(),
  ipfsCid: event.ipfsCid,
  dataHash: event.dataHash,
  txHash: event.txHash,
  links: links.map(({ link, status: state, detail }) => ({ link, status: state, detail })),
});

@ApiTags('Events')
@Controller('api/v1/events')
@Access('member')
export class EventsEvidenceController {
  constructor(
    private readonly readContent: ReadContent,
    private readonly verifyEvent: VerifyEvent,
  ) {}

  @Get(':id/content')
  @ApiOperation({ summary: 'The stored bytes, exactly as they were hashed: canonical JSON (RFC 8785)' })
  @ApiProduces('application/json')
  @ApiOkResponse({ schema: { type: 'object', additionalProperties: true } })
  @NotModified()
  @ApiProblems(processOutOfScope, contentRestricted, eventNotFound, contentNotFound, contentCorrupt, CONTENT_UNAVAILABLE)
  async content(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Headers('if-none-match') known: string | undefined,
    @Res({ passthrough: true }) reply: TaggedReply,
  ): Promise<StreamableFile | undefined> {
    const event = await this.readContent.event(actor, id);
    const etag = `"${event.ipfsCid}"`;
    if (event.ipfsCid !== null && isUnchanged(known, reply, etag)) return undefined;
    const bytes = await this.readContent.bytesOf(event);
    mayKeep(reply, etag);
    return new StreamableFile(bytes, { type: 'application/json', length: bytes.length });
  }

  @Get(':id/verify')
  @ApiOperation({
    operationId: 'verifyEvent',
    summary: 'Ask store and chain again whether bytes, CID, data hash, chain and record belong together',
  })
  @ApiOkResponse({ type: VerificationView })
  @ApiProblems(processOutOfScope, eventNotFound)
  async verify(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<VerificationView> {
    return verificationView(await this.verifyEvent.verify(actor, id));
  }
}
