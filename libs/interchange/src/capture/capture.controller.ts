import { Readable } from 'node:stream';
import {
  ApiProblems,
  BooleanField,
  CHAIN_UNAVAILABLE,
  CONTENT_UNAVAILABLE,
  INVALID_CONTENT,
  IntegerField,
  ObjectField,
  ObjectListField,
  ReadsBody,
  StringField,
  StringListField,
  Heavy,
} from '#http';
import { Access, CurrentActor, quotaExceeded, tenantHasNoContract } from '#identity';
import { type Actor, DomainError, foreignSender, ROLES, senderOf, yieldToEventLoop } from '#kernel';
import { BatchItemView, DeclarationView, batchItemView, declarationView } from '#prepare';
import { Body, Controller, Headers, HttpCode, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { documentIn } from '../xml/read-epcis-xml.js';
import { CaptureDocument, type CaptureResult, MAX_EVENTS } from './capture-document.js';

class ValidationView {
  @BooleanField({ description: 'Whether it was prepared' })
  valid: boolean;

  @StringListField({ description: '"<pointer into the document>: <sentence>"' })
  errors: string[];

  @StringListField({ description: 'Advice in the same form, its pointers into the metadata' })
  warnings: string[];
}

/** Like an item of a batch, its pointers into the document. */
class CapturedEventView extends BatchItemView {
  @StringField({ description: 'eventID as it came', nullable: true })
  eventID: string | null;

  @StringField({ description: 'Event hash of CBV 2.0, `ni:///sha-256;…?ver=CBV2.0`; null for what is not an event', nullable: true })
  eventHashID: string | null;

  @StringField({ description: 'The process that it was mapped to', nullable: true })
  processType: string | null;

  @ObjectField(() => ValidationView, { description: 'Validation result' })
  validation: ValidationView;

  @ObjectField(() => DeclarationView, {
    description: 'The void of an event that an error declaration prepares; null otherwise',
    nullable: true,
  })
  declaration: DeclarationView | null;
}

class CaptureView {
  @IntegerField({ description: 'How many were prepared' })
  prepared: number;

  @IntegerField({ description: 'How many were refused; nothing of them is stored' })
  refused: number;

  @ObjectListField(() => CapturedEventView, { description: 'One result an event, in the order of the document' })
  data: CapturedEventView[];
}

/** Items that are written before other requests go on: about 200 KB. */
const PART = 100;

function captureView(all: readonly CaptureResult[]): CaptureView {
  return { ...countsOf(all), data: all.map(itemView) };
}

/** A `CaptureView` as text, piece by piece: ten thousand events are twenty megabytes. */
async function* captureText(all: readonly CaptureResult[]): AsyncGenerator<string> {
  const { prepared, refused } = countsOf(all);
  yield `{"prepared":${prepared},"refused":${refused},"data":[`;
  for (let from = 0; from < all.length; from += PART) {
    const part = all.slice(from, from + PART).map((one, i) => JSON.stringify(itemView(one, from + i)));
    yield (from === 0 ? '' : ',') + part.join(',');
    await yieldToEventLoop();
  }
  yield ']}';
}

function countsOf(all: readonly CaptureResult[]): { readonly prepared: number; readonly refused: number } {
  const refused = all.filter(({ outcome }) => outcome instanceof DomainError).length;
  return { prepared: all.length - refused, refused };
}

function itemView({ pointer, eventHash, eventID, processType, outcome }: CaptureResult, index: number): CapturedEventView {
  const about = { eventID, eventHashID: eventHash, processType };
  if (outcome instanceof DomainError) {
    const problems = outcome.details.errors ?? [{ pointer, message: outcome.message }];
    const errors = problems.map((one) => `${one.pointer}: ${one.message}`);
    return Object.assign(batchItemView(outcome, index), about, { validation: { valid: false, errors, warnings: [] }, declaration: null });
  }
  const validation = { valid: true, errors: [], warnings: [...outcome.warnings] };
  if ('outputTlc' in outcome) return Object.assign(batchItemView(outcome, index), about, { validation, declaration: null });
  return { index, status: 200, event: null, problem: null, ...about, validation, declaration: declarationView(outcome) };
}

/** Ten thousand events of two kilobytes. */
const MAX_DOCUMENT = 20 * 1024 * 1024;

class CaptureQuery {
  @StringField({ description: 'EIP-55 address that will sign: one of your own; absent: your wallet', optional: true, maxLength: 42 })
  from?: string;
}

@ApiTags('Interchange')
@Controller('api/v1/epcis')
@Access({ roles: ROLES })
export class CaptureController {
  constructor(private readonly captureDocument: CaptureDocument) {}

  @Post('capture')
  @Heavy()
  @HttpCode(200)
  @ReadsBody({ bodyLimit: MAX_DOCUMENT, linkedJson: true, xml: true })
  @ApiOperation({
    summary: 'Prepare the events of an EPCIS 2.0 document',
    description: `Each of up to ${MAX_EVENTS.toLocaleString('en')} events is mapped to a process of your maps by its type, action and bizStep (or by \`trc:processType\`) and prepared, or refused with its own problem. The same event is refused the second time, by its event hash. An error declaration prepares the void of the event with its eventID.`,
  })
  @ApiConsumes('application/json', 'application/ld+json', 'application/xml')
  @ApiBody({ schema: { type: 'object', description: 'An EPCISDocument (ISO/IEC 19987) in JSON-LD or XML', additionalProperties: true } })
  @ApiOkResponse({ type: CaptureView })
  @ApiProblems(foreignSender, tenantHasNoContract, quotaExceeded, INVALID_CONTENT, CHAIN_UNAVAILABLE, CONTENT_UNAVAILABLE)
  async capture(
    @CurrentActor() actor: Actor,
    @Body() document: object,
    @Query() query: CaptureQuery,
    @Headers('idempotency-key') key: string | undefined,
  ): Promise<CaptureView | StreamableFile> {
    const results = await this.captureDocument.capture(actor, await documentIn(document), { from: senderOf(actor, query.from) });
    // A response that may be repeated is stored as a whole.
    if (key !== undefined) return captureView(results);
    return new StreamableFile(Readable.from(captureText(results), { objectMode: false }), { type: 'application/json; charset=utf-8' });
  }
}
