import {
  BooleanField,
  HintsView,
  IntegerField,
  JsonObjectField,
  ObjectField,
  ObjectListField,
  PreparedTxView,
  StringField,
  StringListField,
  itemProblem,
} from '#http';
import { DomainError } from '#kernel';
import { PreparedEventView, preparedEventView } from '#traceability';
import type { Captured } from '../../application/capture-document.js';

/** The void of the event that an error declaration names. */
class DeclarationView {
  @StringField({ description: 'The event that is declared wrong', format: 'uuid' })
  eventId: string;

  @StringField({ description: 'CIDv1 of the stored declaration' })
  ipfsCid: string;

  @StringField({ description: 'sha2-256 of it, as it goes on chain' })
  dataHash: string;

  @ObjectField(() => PreparedTxView, { description: 'Unsigned transaction' })
  preparedTx: PreparedTxView;

  @ObjectField(() => HintsView, { description: 'Advice for the sender' })
  hints: HintsView;

  @StringListField({ description: 'What to look at before signing' })
  warnings: string[];
}

class ValidationView {
  @BooleanField({ description: 'Whether it was prepared' })
  valid: boolean;

  @StringListField({ description: '"<pointer into the document>: <sentence>"' })
  errors: string[];

  @StringListField({ description: 'Advice in the same form, its pointers into the metadata' })
  warnings: string[];
}

class CapturedEventView {
  @IntegerField({ description: 'Place in eventList, from 0' })
  index: number;

  @IntegerField({ description: 'HTTP status that a request of its own would have had' })
  status: number;

  @StringField({ description: 'eventID as it came', nullable: true })
  eventID: string | null;

  @StringField({ description: 'Event hash of CBV 2.0, `ni:///sha-256;…?ver=CBV2.0`; null for what is no event', nullable: true })
  eventHashID: string | null;

  @StringField({ description: 'The process that it was mapped to', nullable: true })
  processType: string | null;

  @ObjectField(() => ValidationView, { description: 'Validation result' })
  validation: ValidationView;

  @ObjectField(() => PreparedEventView, { description: 'What was prepared; null otherwise', nullable: true })
  event: PreparedEventView | null;

  @ObjectField(() => DeclarationView, { description: 'The void that an error declaration comes to; null otherwise', nullable: true })
  declaration: DeclarationView | null;

  @JsonObjectField({ description: 'Why it was refused (RFC 9457); pointers go into the document', nullable: true })
  problem: object | null;
}

export class CaptureView {
  @IntegerField({ description: 'How many were prepared' })
  prepared: number;

  @IntegerField({ description: 'How many were refused; nothing is stored of them' })
  refused: number;

  @ObjectListField(() => CapturedEventView, { description: 'One answer an event, in their order' })
  data: CapturedEventView[];
}

export function captureView(all: readonly Captured[]): CaptureView {
  const data = all.map(itemView);
  const refused = data.filter(({ problem }) => problem !== null).length;
  return { prepared: data.length - refused, refused, data };
}

function itemView({ eventHash, eventID, processType, outcome }: Captured, index: number): CapturedEventView {
  const item = { index, eventID, eventHashID: eventHash, processType };
  if (outcome instanceof DomainError) {
    const told = outcome.details.errors ?? [{ pointer: `/epcisBody/eventList/${index}`, message: outcome.message }];
    const errors = told.map(({ pointer, message }) => `${pointer}: ${message}`);
    const validation = { valid: false, errors, warnings: [] };
    return { ...item, status: outcome.status, validation, event: null, declaration: null, problem: itemProblem(outcome) };
  }
  const validation = { valid: true, errors: [], warnings: [...outcome.warnings] };
  const prepared = { ...item, status: 200, validation, problem: null };
  if ('outputTlc' in outcome) return { ...prepared, event: preparedEventView(outcome), declaration: null };
  const { eventId, ipfsCid, dataHash, preparedTx, hints, warnings } = outcome;
  return { ...prepared, event: null, declaration: { eventId, ipfsCid, dataHash, preparedTx, hints, warnings: [...warnings] } };
}
