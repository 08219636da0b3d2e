import { namespaceOf } from './identifiers.js';
import type { EpcisEvent } from './export-event.js';
import type { Naming } from './recorded.js';

export const EPCIS_CONTEXT = 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld';

/** An EPCISDocument without its events. @param id of this very document */
export const documentAround = (id: string, at: Date, naming: Naming) => ({
  '@context': [EPCIS_CONTEXT, { trc: namespaceOf(naming) }],
  id,
  type: 'EPCISDocument',
  schemaVersion: '2.0',
  creationDate: at.toISOString(),
});

/** The document piece by piece, so that it is never whole in memory. */
export async function* documentText(
  around: ReturnType<typeof documentAround>,
  pages: AsyncIterable<readonly EpcisEvent[]>,
): AsyncGenerator<string> {
  yield `${JSON.stringify(around).slice(0, -1)},"epcisBody":{"eventList":[`;
  let first = true;
  for await (const page of pages) {
    const text = page.map((event) => JSON.stringify(event)).join(',\n');
    if (text === '') continue;
    yield first ? text : `,\n${text}`;
    first = false;
  }
  yield ']}}\n';
}
