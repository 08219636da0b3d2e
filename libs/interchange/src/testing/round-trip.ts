import { ProblemBudget } from '#kernel';
import { type DocumentEvent, DocumentReader } from '../capture/document-event.js';
import { eventsOfBody } from '../conformance/bodies.js';
import { documentAround } from '../epcis/epcis-event.js';
import type { Json } from '../epcis/json.js';
import { withContexts } from '../event-feed/captured.queries.js';

/** What capture reads of a body: the hash of each event, and what is wrong with it. */
export interface ReadBody {
  readonly hashes: readonly (string | null)[];
  /** Pointers of all faults, of the document and of its events. */
  readonly faults: readonly string[];
  /** The document in which its events go out again. */
  readonly written: Json;
}

const naming = { base: 'https://trace.example', tenant: 'demo' };

/** Reads a body as capture does, keeps its events as they are kept, and writes them as exports do. */
export function readAndWrite(body: Json): ReadBody {
  const { events, contexts, faults, pointer } = eventsOfBody(body);
  const reader = new DocumentReader(contexts, new ProblemBudget(), pointer);
  const read = events.map((event, i) => reader.read(event, i));
  const kept = read.map(({ event, context }) => ({ event: JSON.stringify(event), contexts: context?.text ?? '[]' }));
  const eventList = kept.map((one) => withContexts(JSON.parse(one.event) as Json, JSON.parse(one.contexts) as unknown[]));
  return {
    hashes: read.map(({ hash }) => hash),
    faults: [...faults, ...read.flatMap(problemsOf)].map((one) => one.pointer),
    written: { ...documentAround('https://trace.example/x', new Date(0), naming), epcisBody: { eventList } },
  };
}

const problemsOf = ({ refusal, pointer }: DocumentEvent): readonly { readonly pointer: string }[] =>
  refusal === null ? [] : (refusal.details.errors ?? [{ pointer }]);
