import { BooleanField, IntegerField, ObjectField, ObjectListField, StringField, StringListField } from '#http';
import { DomainError, nextTurn } from '#kernel';
import { BatchItemView, DeclarationView, batchItemView, declarationView } from '#traceability';
import type { Captured } from '../../application/capture-document.js';

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

  @StringField({ description: 'Event hash of CBV 2.0, `ni:///sha-256;…?ver=CBV2.0`; null for what is no event', nullable: true })
  eventHashID: string | null;

  @StringField({ description: 'The process that it was mapped to', nullable: true })
  processType: string | null;

  @ObjectField(() => ValidationView, { description: 'Validation result' })
  validation: ValidationView;

  @ObjectField(() => DeclarationView, { description: 'The void that an error declaration comes to; null otherwise', nullable: true })
  declaration: DeclarationView | null;
}

export class CaptureView {
  @IntegerField({ description: 'How many were prepared' })
  prepared: number;

  @IntegerField({ description: 'How many were refused; nothing is stored of them' })
  refused: number;

  @ObjectListField(() => CapturedEventView, { description: 'One answer an event, in their order' })
  data: CapturedEventView[];
}

/** Items that are written before others have their turn: some 200 KB. */
const PART = 100;

export function captureView(all: readonly Captured[]): CaptureView {
  return { ...countsOf(all), data: all.map(itemView) };
}

/** A `CaptureView` as text, piece by piece: ten thousand events are twenty megabytes. */
export async function* captureText(all: readonly Captured[]): AsyncGenerator<string> {
  const { prepared, refused } = countsOf(all);
  yield `{"prepared":${prepared},"refused":${refused},"data":[`;
  for (let from = 0; from < all.length; from += PART) {
    const part = all.slice(from, from + PART).map((one, i) => JSON.stringify(itemView(one, from + i)));
    yield (from === 0 ? '' : ',') + part.join(',');
    await nextTurn();
  }
  yield ']}';
}

function countsOf(all: readonly Captured[]): { readonly prepared: number; readonly refused: number } {
  const refused = all.filter(({ outcome }) => outcome instanceof DomainError).length;
  return { prepared: all.length - refused, refused };
}

function itemView({ eventHash, eventID, processType, outcome }: Captured, index: number): CapturedEventView {
  const about = { eventID, eventHashID: eventHash, processType };
  if (outcome instanceof DomainError) {
    const told = outcome.details.errors ?? [{ pointer: `/epcisBody/eventList/${index}`, message: outcome.message }];
    const errors = told.map(({ pointer, message }) => `${pointer}: ${message}`);
    return Object.assign(batchItemView(outcome, index), about, { validation: { valid: false, errors, warnings: [] }, declaration: null });
  }
  const validation = { valid: true, errors: [], warnings: [...outcome.warnings] };
  if ('outputTlc' in outcome) return Object.assign(batchItemView(outcome, index), about, { validation, declaration: null });
  return { index, status: 200, event: null, problem: null, ...about, validation, declaration: declarationView(outcome) };
}
