import { mapOf } from './circumstances.js';
import { aboutEvent, calling } from './event-finding.js';
import type { EventFacts } from './facts.js';
import type { Rule } from './rule.js';
import { counted, have } from './words.js';

export const documentMissing: Rule<EventFacts> = {
  type: 'DOCUMENT_MISSING',
  recommendation: 'Supersede the event with the document.',
  reference: null,
  headline: (count, group) => `${counted(count, 'required document')}${group && ` of ${group}`} ${have(count)} not been given`,
  judge(event, at) {
    const required = mapOf(at, event)?.processes.get(event.processType ?? '')?.requiredDocuments ?? [];
    const given = new Set(event.documents.map((document) => document['type']));
    return required
      .filter((type) => !given.has(type))
      .map((type) =>
        aboutEvent('DOCUMENT_MISSING', 'medium', event, {
          key: type,
          title: `${calling(event)} has no ${type}`,
          detail: `The process map asks for a document of type ${type} with each such event.`,
          evidence: { type, given: [...given].filter((one) => typeof one === 'string').toSorted() },
          threshold: { required: type },
        }),
      );
  },
};
