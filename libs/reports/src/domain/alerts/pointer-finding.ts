import type { AlertType, Finding, Severity } from './alert.js';
import type { PointerFacts } from './facts.js';

/** What findings about a checked pointer share: the subject is what points, the key is the pointer. */
export const aboutPointer = (type: AlertType, severity: Severity, pointer: PointerFacts, title: string): Finding => ({
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

/** Pointers to bytes, as opposed to pointers into the chain. */
export const pointsToBytes = ({ kind }: PointerFacts): boolean => kind === 'cid' || kind === 'document';
export const pointsIntoChain = ({ kind }: PointerFacts): boolean => kind === 'nft' || kind === 'dataHash' || kind === 'tx';
