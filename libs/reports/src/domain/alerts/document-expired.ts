import type { DocumentFacts } from './facts.js';
import type { Rule } from './rule.js';
import { counted, day, have } from './words.js';

/** Of a certificate that ran out while goods under it are still there. Lots that are gone were sold under a valid one. */
export const documentExpired: Rule<DocumentFacts> = {
  type: 'DOCUMENT_EXPIRED',
  recommendation: 'Get the renewed document and supersede the event with it, or stop claiming what it says.',
  reference: null,
  headline: (count, group) => `${counted(count, 'document')}${group && ` of type ${group}`} of lots in stock ${have(count)} expired`,
  judge(document, { now }) {
    if (document.validTo >= day(now) || document.liveLots.length === 0) return [];
    const [first] = document.liveLots;
    return [
      {
        type: 'DOCUMENT_EXPIRED',
        severity: 'medium',
        subject: { kind: 'event', id: document.eventId, tokenId: first!.tokenId, tlc: first!.tlc },
        key: `${document.type}|${document.number}`,
        title: `${document.type} ${document.number} was valid until ${document.validTo}`,
        detail: `${document.type} ${document.number}${document.issuer ? ` of ${document.issuer}` : ''} expired on ${document.validTo}; ${counted(document.liveLots.length, 'lot')} under it, ${first!.tlc} first, ${document.liveLots.length === 1 ? 'is' : 'are'} still there.`,
        evidence: {
          documentType: document.type,
          number: document.number,
          issuer: document.issuer,
          validTo: document.validTo,
          lots: document.liveLots,
        },
        threshold: { validTo: document.validTo },
        group: document.type,
        processType: document.processType,
        orgIds: document.orgIds,
      },
    ];
  },
};
