import { type AlertType, type Finding, type Rule, type Severity, mapOf } from './rule.js';
import { type EventFacts, aboutEvent, eventName } from './event.rules.js';
import { be, counted, day, have } from './wording.js';

/** A document of a confirmed event, and the lots of the event that are still in stock. */
export interface DocumentFacts {
  readonly eventId: string;
  readonly processType: string | null;
  readonly type: string;
  readonly number: string;
  readonly issuer: string | null;
  /** Calendar date. */
  readonly validTo: string;
  readonly liveLots: readonly { readonly tokenId: number; readonly tlc: string }[];
  readonly orgIds: readonly string[];
}

/** A certificate that expired while lots under it are in stock. Lots that are gone were sold under a valid one. */
export const documentExpired: Rule<DocumentFacts> = {
  type: 'DOCUMENT_EXPIRED',
  recommendation: 'Get the renewed document and correct the event with it, or stop stating what it proves.',
  reference: null,
  headline: (count, group) => `${counted(count, 'document')}${group && ` of type ${group}`} of lots in stock ${have(count)} expired`,
  judge(document, { now }) {
    const { type, number, issuer, validTo, liveLots } = document;
    if (validTo >= day(now) || liveLots.length === 0) return [];
    const [first] = liveLots;
    const lots = `${counted(liveLots.length, 'lot')} under it (first: ${first!.tlc}) ${be(liveLots.length)} still in stock`;
    return [
      {
        type: 'DOCUMENT_EXPIRED',
        severity: 'medium',
        subject: { kind: 'event', id: document.eventId, tokenId: first!.tokenId, tlc: first!.tlc },
        key: `${type}|${number}`,
        title: `${type} ${number} was valid until ${validTo}`,
        detail: `${type} ${number}${issuer ? ` of ${issuer}` : ''} expired on ${validTo}; ${lots}.`,
        evidence: { documentType: type, number, issuer, validTo, lots: liveLots },
        threshold: { validTo },
        group: type,
        processType: document.processType,
        orgIds: document.orgIds,
      },
    ];
  },
};

export const documentMissing: Rule<EventFacts> = {
  type: 'DOCUMENT_MISSING',
  recommendation: 'Correct the event and add the document.',
  reference: null,
  headline: (count, group) => `${counted(count, 'required document')}${group && ` of ${group}`} ${be(count)} missing`,
  judge(event, context) {
    const required = mapOf(context, event)?.processes.get(event.processType ?? '')?.requiredDocuments ?? [];
    const given = new Set(event.documents.map((document) => document['type']));
    return required
      .filter((type) => !given.has(type))
      .map((type) =>
        aboutEvent('DOCUMENT_MISSING', 'medium', event, {
          key: type,
          title: `${eventName(event)} has no ${type}`,
          detail: `The process map requires a document of type ${type} for this process.`,
          evidence: { type, given: [...given].filter((one) => typeof one === 'string').toSorted() },
          threshold: { required: type },
        }),
      );
  },
};

/** Content of version 1 has no sealed values, so everybody who reads the store reads all of it. */
export const contentExposed: Rule<EventFacts> = {
  type: 'CONTENT_EXPOSED',
  recommendation: 'Find out who can read the content store. What was read cannot be taken back; delete the block if the law asks for it.',
  reference: null,
  headline: (count) =>
    `${counted(count, 'stored content', 'stored contents')} ${be(count)} in the clear where others can read ${count === 1 ? 'it' : 'them'}`,
  judge: (event, { storeIsShared }) =>
    storeIsShared && event.contentVersion === 1
      ? [
          aboutEvent('CONTENT_EXPOSED', 'high', event, {
            title: `The content of ${eventName(event)} is in the clear`,
            detail: 'Its content is of version 1, which seals nothing, and others than the service can read the content store.',
            evidence: { contentVersion: 1 },
            threshold: { contentVersion: 2 },
          }),
        ]
      : [],
};

/** A pointer as found by its last check. */
export interface PointerFacts {
  readonly pointerId: string;
  readonly kind: string;
  readonly status: string;
  readonly value: string;
  readonly detail: string;
  readonly checkedAt: Date;
  readonly processType: string | null;
  readonly subjectKind: 'lot' | 'event';
  readonly subjectId: string;
  readonly tokenId: number | null;
  readonly tlc: string | null;
  readonly orgIds: readonly string[];
}

export const cidUnresolved: Rule<PointerFacts> = {
  type: 'CID_UNRESOLVED',
  recommendation: 'Restore the content from a backup or from another holder; the CID identifies it.',
  reference: null,
  headline: (count) => `${counted(count, 'stored content', 'stored contents')} ${be(count)} not available`,
  judge: (pointer) =>
    pointer.status === 'unresolved' && pointsToContent(pointer)
      ? [aboutPointer('CID_UNRESOLVED', 'medium', pointer, `The content of ${short(pointer.value)} is not available`)]
      : [],
};

export const cidMismatch: Rule<PointerFacts> = {
  type: 'CID_MISMATCH',
  recommendation: 'The stored content is not the recorded one: restore the right content and find out who changed it.',
  reference: null,
  headline: (count) => `${counted(count, 'stored content', 'stored contents')} ${have(count)} been changed`,
  judge: (pointer) =>
    pointer.status === 'mismatch' && pointsToContent(pointer)
      ? [aboutPointer('CID_MISMATCH', 'critical', pointer, `The content of ${short(pointer.value)} has been changed`)]
      : [],
};

export const chainDrift: Rule<PointerFacts> = {
  type: 'CHAIN_DRIFT',
  recommendation: 'The record differs from the chain, and the chain is right: reindex the tenant and find out who wrote to the database.',
  reference: null,
  headline: (count) => `${counted(count, 'record')} ${count === 1 ? 'differs' : 'differ'} from the chain`,
  judge: (pointer) =>
    pointer.status === 'mismatch' && pointsIntoChain(pointer)
      ? [aboutPointer('CHAIN_DRIFT', 'critical', pointer, `The record of ${pointer.tlc ?? pointer.subjectId} differs from the chain`)]
      : [],
};

const pointsToContent = ({ kind }: PointerFacts): boolean => kind === 'cid' || kind === 'document';
const pointsIntoChain = ({ kind }: PointerFacts): boolean => kind === 'nft' || kind === 'dataHash' || kind === 'tx';

/** The subject is the record with the pointer, the key is the pointer. */
const aboutPointer = (type: AlertType, severity: Severity, pointer: PointerFacts, title: string): Finding => ({
  type,
  severity,
  subject: { kind: pointer.subjectKind, id: pointer.subjectId, tokenId: pointer.tokenId, tlc: pointer.tlc },
  key: pointer.pointerId,
  title,
  detail: pointer.detail,
  evidence: { pointerId: pointer.pointerId, pointer: pointer.kind, value: pointer.value, checkedAt: pointer.checkedAt.toISOString() },
  threshold: { status: 'ok' },
  group: '',
  processType: pointer.processType,
  orgIds: pointer.orgIds,
});

/** Cut between whole characters: PostgreSQL refuses half of a surrogate pair. */
function short(value: string): string {
  const characters = Array.from(value);
  return characters.length > 20 ? `${characters.slice(0, 12).join('')}…${characters.slice(-6).join('')}` : value;
}
