import { numberOrText } from '../state/numbers.js';
import { t } from '../state/language.js';
import { isWalletAddress } from '../parts/wallets.js';
import { type Filled, documentOf } from './filled.js';
import { type Issue, pointerTo } from './issues.js';
import { type Process, beginning } from './process.js';
import type { Shape } from './shape.js';

/** A lot that goes in, as it was when it was chosen, and how much of it. */
export interface ChosenLot {
  readonly tokenId: number;
  readonly tlc: string;
  readonly name: string;
  readonly left: string;
  readonly quantity: string;
  readonly uom: string;
}

export type Handing = 'offer' | 'accept' | 'none';

export interface EventDraft {
  readonly lots: readonly ChosenLot[];
  readonly filled: Filled;
  readonly outputTlc: string;
  readonly outputCustodian: string;
  /** For processes that hand lots on. */
  readonly handing: Handing;
  readonly to: string;
}

/** Another part of the draft, or how it follows from the draft of now. */
export type SetDraft = (change: Partial<EventDraft> | ((now: EventDraft) => Partial<EventDraft>)) => void;

export const emptyDraft = (process: Process, filled: Filled): EventDraft => ({
  lots: [],
  filled,
  outputTlc: '',
  outputCustodian: '',
  handing: process.kind !== 'transfer' ? 'none' : process.epcis.bizStep === 'receiving' ? 'accept' : 'offer',
  to: '',
});

type FilledObject = Readonly<Record<string, Filled>>;

/** The same again: the values stay, what belongs to one event alone is left out, and it happens now. */
export function againFrom(process: Process, draft: EventDraft, now: Date): EventDraft {
  const filled = Object.fromEntries(Object.entries(draft.filled as FilledObject).filter(([key]) => !OF_ONE_EVENT.includes(key)));
  const begun = beginning(process, now) as FilledObject;
  const times = Object.fromEntries(['eventTime', 'eventTimeZoneOffset'].flatMap((key) => (key in begun ? [[key, begun[key]!]] : [])));
  return { ...draft, filled: { ...filled, ...times }, lots: [], outputTlc: '' };
}

/** Parts of the metadata that no other event has. */
export const OF_ONE_EVENT: readonly string[] = ['documents', 'sscc', 'serial', 'footprint'];

/** The body that validate and prepare take. */
export function eventOf(process: Process, draft: EventDraft) {
  const metadata = documentOf(process.shape, draft.filled, true) as Record<string, unknown>;
  const lines = draft.lots.map(({ tokenId, quantity, uom }) => ({ tokenId, quantity: { value: numberOrText(quantity), uom } }));
  return {
    processType: process.processType,
    inputTokenIds: draft.lots.map(({ tokenId }) => tokenId),
    ...(process.outputs.max > 0 && draft.outputTlc && { outputTlc: draft.outputTlc }),
    ...(process.outputs.max > 0 && draft.outputCustodian && { outputCustodian: draft.outputCustodian }),
    metadata: process.hasLines ? { ...metadata, inputs: lines } : metadata,
  };
}

/** The body of `POST /custody/prepare` that records the event with the handing on. */
export function handingOf(process: Process, draft: EventDraft) {
  const { processType, inputTokenIds, metadata } = eventOf(process, draft);
  return { action: draft.handing, tokenIds: inputTokenIds, ...(draft.handing === 'offer' && { to: draft.to }), processType, metadata };
}

/** A company that was typed and not found: its event would go to nobody. */
export function withoutWallet({ handing, to, outputCustodian }: EventDraft): readonly Issue[] {
  const issue = (pointer: string): Issue => ({ pointer, message: t('Choose a company from the list.'), severity: 'error' });
  return [
    ...(handing === 'offer' && !isWalletAddress(to) ? [issue('/to')] : []),
    ...(outputCustodian !== '' && !isWalletAddress(outputCustodian) ? [issue('/outputCustodian')] : []),
  ];
}

/** The request that prepares what was filled in. */
export const requestOf = (process: Process, draft: EventDraft): { readonly path: string; readonly body: object } =>
  draft.handing === 'none'
    ? { path: '/api/v1/events/prepare', body: eventOf(process, draft) }
    : { path: '/api/v1/custody/prepare', body: handingOf(process, draft) };

/** Handed on in the same transaction, an event need not be warned about that it moves nothing. */
export const worthSaying = ({ handing }: EventDraft, { code }: { readonly code: string }): boolean =>
  !(handing !== 'none' && code === 'custody_not_moved');

const METADATA = '/metadata';
const lineOf = (index: number): readonly string[] => [`/inputTokenIds/${index}`, `${METADATA}/inputs/${index}`];

/** Every place of the page that something can be said at. */
export function placesOf(process: Process, draft: EventDraft): ReadonlySet<string> {
  const places = new Set(['/outputTlc', '/outputCustodian', '/inputTokenIds', '/to', ...draft.lots.flatMap((_, index) => lineOf(index))]);
  walk(process.shape, draft.filled, METADATA, places);
  places.delete(METADATA);
  return places;
}

function walk(shape: Shape, filled: Filled | undefined, at: string, places: Set<string>): void {
  places.add(at);
  const partOf = (key: string | number): Filled | undefined =>
    typeof filled === 'object' ? (filled as Readonly<Record<string, Filled>>)[key] : undefined;
  if (shape.kind === 'object') for (const { key, shape: inner } of shape.fields) walk(inner, partOf(key), pointerTo(at, key), places);
  if (shape.kind === 'tuple') for (const { key, shape: inner } of shape.items) walk(inner, partOf(key), pointerTo(at, key), places);
  if (shape.kind === 'list' && Array.isArray(filled))
    (filled as readonly Filled[]).forEach((item, index) => walk(shape.item, item, pointerTo(at, index), places));
  if (shape.kind === 'variants') {
    const chosen = shape.of[Number(partOf('variant') || Number.NaN)];
    if (chosen) walk(chosen.shape, partOf('value'), at, places);
  }
}

/** What is said of one lot, in one line. */
export const ofLot = (said: ReadonlyMap<string, readonly Issue[]>, index: number): readonly Issue[] =>
  lineOf(index).flatMap((place) => said.get(place) ?? []);
