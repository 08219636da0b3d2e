import { Controller, Get, Headers, Param, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import {
  ApiProblems,
  CONTENT_UNAVAILABLE,
  EnumField,
  INVALID_CONTENT,
  IntegerField,
  JsonObjectField,
  NotModified,
  ObjectListField,
  StringField,
  StringListField,
  type TaggedReply,
  isUnchanged,
  mayKeep,
} from '#http';
import { Access, CurrentActor } from '#identity';
import { type Actor, processOutOfScope } from '#kernel';
import { CONTENT_STATES, SEALED_CLASSES } from '#envelope';
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

  @EnumField(LINK_STATES, {
    description:
      '`unreachable`: nothing can be concluded now; `not_landed`: nothing is on chain yet; `sealed`: values cannot be opened here, so they cannot be compared; `erased`: values were erased, all others are compared',
  })
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

export class OpenedContentView {
  @IntegerField({ description: 'Version of the format: of 1 everything is in the clear' })
  version: number;

  @StringField({ description: 'The stored bytes as text: their sha2-256 is the data hash' })
  block: string;

  @EnumField(CONTENT_STATES, {
    description:
      '`erased`: values were erased here; `sealed_elsewhere`: their keys are not here; `key_lost`: their keys cannot be read; `content_invalid`: what is sealed does not fit the block',
  })
  state: string;

  @JsonObjectField({ description: 'Public values, and those of `classes`; for an erased one `{ "erased": true }`' })
  content: Readonly<Record<string, unknown>>;

  @StringListField({ description: 'Sealed classes of which the caller reads values here', enum: SEALED_CLASSES })
  classes: string[];
}

export class DisclosuresQuery {
  @StringField({
    description:
      'Pointers (RFC 6901) into the content, several separated by commas, such as `/metadata/plot`; children are included. Without it, all that is sealed',
    optional: true,
    maxLength: 2_000,
    pattern: /^\/[^,]+(,\/[^,]+)*$/,
  })
  pointers?: string;
}

class DisclosureView {
  @StringField({ description: 'The exact text that was hashed: salt, path and value' })
  bytes: string;

  @IntegerField({ description: 'Its place among the leaves' })
  index: number;

  @StringListField({ description: 'Hashes that lead from the leaf to the root' })
  path: string[];
}

export class DisclosuresView {
  @StringField({ description: 'The stored bytes as text, with the root' })
  block: string;

  @ObjectListField(() => DisclosureView, { description: 'One for each value' })
  disclosures: DisclosureView[];
}

@ApiTags('Events')
@Controller('api/v1/events')
@Access('member')
export class EventsEvidenceController {
  constructor(
    private readonly readContent: ReadContent,
    private readonly verifyEvent: VerifyEvent,
  ) {}

  @Get(':id/content')
  @ApiOperation({
    summary: 'The stored bytes, exactly as they were hashed: canonical JSON (RFC 8785). What is sealed in them stays sealed',
  })
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
    const bytes = await this.readContent.bytesOf(actor, event);
    if (isUnchanged(known, reply, etag)) return undefined;
    mayKeep(reply, etag);
    return new StreamableFile(bytes, { type: 'application/json', length: bytes.length });
  }

  @Get(':id/content/opened')
  @ApiOperation({ summary: 'The stored bytes, and what of their sealed values the caller may read' })
  @ApiOkResponse({ type: OpenedContentView })
  @ApiProblems(processOutOfScope, contentRestricted, eventNotFound, contentNotFound, contentCorrupt, CONTENT_UNAVAILABLE)
  async opened(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<OpenedContentView> {
    const { version, block, state, content, classes } = await this.readContent.opened(actor, id);
    return { version, block, state, content, classes: [...classes] };
  }

  @Get(':id/disclosures')
  @ApiOperation({
    operationId: 'discloseValues',
    summary: 'Single sealed values with their proofs: a buyer who gets them can check these values, and reads no other',
  })
  @ApiOkResponse({ type: DisclosuresView })
  @ApiProblems(processOutOfScope, contentRestricted, eventNotFound, contentNotFound, contentCorrupt, INVALID_CONTENT, CONTENT_UNAVAILABLE)
  async disclosures(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Query() { pointers }: DisclosuresQuery,
  ): Promise<DisclosuresView> {
    const { block, disclosures } = await this.readContent.disclosures(actor, id, pointers?.split(',') ?? ['']);
    return { block, disclosures: disclosures.map(({ bytes, index, path }) => ({ bytes, index, path: [...path] })) };
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
