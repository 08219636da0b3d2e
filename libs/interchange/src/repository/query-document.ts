import { documentAround } from '../epcis/epcis-event.js';
import type { Naming } from '../epcis/identifiers.js';
import { SELF } from '../epcis/indexed-event.js';

export interface QueryResults {
  /** Address of the document itself. */
  readonly id: string;
  readonly at: Date;
  readonly queryName: string;
  readonly subscriptionID?: string;
  /** JSON of the events, as they are stored. */
  readonly items: readonly string[];
}

/** Named by this address, whatever it was when they were written. */
export const located = (text: string, origin: string): string => text.replaceAll(SELF, origin);

/** JSON of an EPCISQueryDocument. */
export function queryDocumentText({ id, at, queryName, subscriptionID, items }: QueryResults, naming: Naming): string {
  const { type: _, ...around } = documentAround(id, at, naming);
  const head = JSON.stringify({ ...around, type: 'EPCISQueryDocument' }).slice(0, -1);
  const events = items.map((text) => located(text, naming.base)).join(',\n');
  const named = JSON.stringify({ queryName, ...(subscriptionID !== undefined && { subscriptionID }) }).slice(1, -1);
  return `${head},"epcisBody":{"queryResults":{${named},"resultsBody":{"eventList":[${events}]}}}}\n`;
}
