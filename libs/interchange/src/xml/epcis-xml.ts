import type { Json } from '../epcis/json.js';
import { type XmlVersion, eventXml } from './event-to-xml.js';
import { XSI } from './xml-element.js';
import { escapeXml } from './xml-names.js';

export interface XmlHead {
  readonly version: XmlVersion;
  /** When it was written, ISO 8601. */
  readonly createdAt: string;
  /** Namespace of the terms that EPCIS has not. */
  readonly terms: string;
  /** Of the query whose results these are; null for a document. */
  readonly queryName: string | null;
}

/** Events as a document of EPCIS in XML, or as the results of a query. */
export function documentXml(events: readonly Json[], { version, createdAt, terms, queryName }: XmlHead): string {
  const [root, schema] = queryName === null ? ['epcis:EPCISDocument', 'epcis'] : ['epcisq:EPCISQueryDocument', 'epcis-query'];
  const number = version === '2.0' ? 2 : 1;
  const list = `<EventList>\n${events.map((event) => eventXml(event, version, { trc: terms })).join('\n')}\n</EventList>`;
  const results = `<epcisq:QueryResults><queryName>${escapeXml(queryName ?? '')}</queryName><resultsBody>${list}</resultsBody></epcisq:QueryResults>`;
  const declared = [
    `xmlns:${root.split(':', 1)[0]}="urn:epcglobal:${schema}:xsd:${number}"`,
    `xmlns:xsi="${XSI}"`,
    `xmlns:trc="${escapeXml(terms)}"`,
    `schemaVersion="${version}"`,
    `creationDate="${escapeXml(createdAt)}"`,
  ];
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} ${declared.join(' ')}><EPCISBody>${queryName === null ? list : results}</EPCISBody></${root}>\n`;
}
