import { policyBreach } from './event.rules.js';
import type { Rule } from './rule.js';

/** A void, a recall or a lifting that another wallet signed than the one it was prepared for. */
export interface SignatureFacts {
  readonly call: 'void' | 'recalled' | 'lifted';
  /** The event that is void, or the recall. */
  readonly id: string;
  /** The first of the lots that were recalled, by its number; null for a void. */
  readonly tokenId: bigint | null;
  /** Code of the event's main output, or of the lot. */
  readonly tlc: string | null;
  readonly processType: string | null;
  readonly signer: string;
  /** Null when it was prepared without a sender, by an organisation that did not sign it. */
  readonly preparedSender: string | null;
  readonly orgIds: readonly string[];
}

const WHAT = { void: 'The void of', recalled: 'The recall of', lifted: 'The lifting of the recall of' } as const;

export const foreignSignature: Rule<SignatureFacts> = {
  ...policyBreach,
  recommendation: 'Ask who signed the transaction; take it back if it should not have happened.',
  judge: ({ call, id, tokenId, tlc, processType, signer, preparedSender, orgIds }) => [
    {
      type: 'POLICY_BREACH',
      severity: 'high',
      subject: {
        kind: call === 'void' ? 'event' : 'lot',
        id: String(tokenId ?? id),
        tokenId: tokenId === null ? null : Number(tokenId),
        tlc,
      },
      key: `${call} sender ${call === 'void' ? '' : id}`,
      title: `${WHAT[call]} ${tlc ?? (call === 'void' ? `event ${id}` : `lot ${tokenId}`)} was signed by another sender than it was prepared for`,
      detail: `It was prepared ${preparedSender === null ? 'by an organisation that did not sign it' : `for ${preparedSender}`}, and ${signer} signed it. It counts for who signed.`,
      evidence: { senderMismatch: true, call, ...(call === 'void' ? { eventId: id } : { recallId: id }), sender: signer, preparedSender },
      threshold: { senderMismatch: false },
      group: '',
      processType,
      orgIds,
    },
  ],
};
