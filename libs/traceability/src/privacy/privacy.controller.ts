import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { SealedClass } from '#envelope';
import { ApiProblems, CONTENT_UNAVAILABLE, INVALID_CONTENT } from '#http';
import { Access, CurrentActor } from '#identity';
import { type Actor, invalidContent } from '#kernel';
import { eventNotFound, neededForRecord, notErasable, notSeparable } from '../errors.js';
import { ReadSubject } from './read-subject.js';
import { EraseValues } from './erase-values.js';
import type { Selection } from './erasure.rules.js';
import {
  ErasureBody,
  ErasureView,
  erasureView,
  SubjectBody,
  SubjectExportView,
  subjectExportView,
  SubjectDataView,
  subjectView,
} from './privacy.dto.js';

/** POST throughout: a name in an address would be in logs. */
@ApiTags('Privacy')
@Controller('api/v1/privacy')
@Access({ roles: ['COMPLIANCE', 'TENANT_ADMIN'], everyProcess: true })
export class PrivacyController {
  constructor(
    private readonly eraseValues: EraseValues,
    private readonly readSubject: ReadSubject,
  ) {}

  @Post('erasures')
  @ApiOperation({
    operationId: 'eraseValues',
    summary: 'Erase values for good: of one event (`eventId` with `pointers` or `classes`), or of a person (`subject`)',
  })
  @ApiCreatedResponse({ type: ErasureView })
  @ApiProblems(eventNotFound, notSeparable, notErasable, neededForRecord, INVALID_CONTENT, CONTENT_UNAVAILABLE)
  async erase(@CurrentActor() actor: Actor, @Body() body: ErasureBody): Promise<ErasureView> {
    const { eventId, subject } = body;
    const selection = selectionOf(body);
    if (subject !== undefined && eventId === undefined && selection === null)
      return erasureView(await this.eraseValues.ofSubject(actor, subject));
    if (subject === undefined && eventId !== undefined && selection !== null)
      return erasureView(await this.eraseValues.ofEvent(actor, eventId, selection));
    throw invalidContent([
      { pointer: '', code: 'selection', message: 'needs either `subject` alone, or `eventId` with one of `pointers` and `classes`' },
    ]);
  }

  @Post('subjects')
  @HttpCode(200)
  @ApiOperation({ operationId: 'findSubject', summary: 'What is held of a person: where, and not what' })
  @ApiOkResponse({ type: SubjectDataView })
  @ApiProblems(CONTENT_UNAVAILABLE)
  async subjects(@CurrentActor() actor: Actor, @Body() { value }: SubjectBody): Promise<SubjectDataView> {
    return subjectView(await this.readSubject.read(actor, value, 'privacy.searched'));
  }

  @Post('export')
  @HttpCode(200)
  @ApiOperation({ operationId: 'exportSubject', summary: 'What is held of a person, with the values: for the person' })
  @ApiOkResponse({ type: SubjectExportView })
  @ApiProblems(CONTENT_UNAVAILABLE)
  async export(@CurrentActor() actor: Actor, @Body() { value }: SubjectBody): Promise<SubjectExportView> {
    return subjectExportView(await this.readSubject.read(actor, value, 'privacy.exported'));
  }
}

function selectionOf({ pointers, classes }: ErasureBody): Selection | null {
  if (pointers !== undefined && classes === undefined) return { pointers };
  return classes !== undefined && pointers === undefined ? { classes: classes as SealedClass[] } : null;
}
