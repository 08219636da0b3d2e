import { refusal } from '#kernel';
import type { Method } from './prepare/contract-method.js';

export const unknownMethod = refusal(
  'unknown_method',
  422,
  (method: string, _methods: readonly Method[]) => `The contract has no state-changing method ${method}.`,
  (_, methods) => ({
    methods: methods.map(({ name, signature, inputs }) => ({
      name,
      signature,
      args: inputs.map((input) => ({ name: input.name, type: input.type })),
    })),
  }),
);
export const unknownProcess = refusal('unknown_process', 422, (processId: string) => `No published process has the id ${processId}.`);
export const trackedNotFound = refusal('tracked_transaction_not_found', 404, (id: string) => `No tracked transaction ${id}.`);
export const transactionNotFound = refusal(
  'transaction_not_found',
  404,
  (txHash: string, chainId: number) => `No node of chain ${chainId} knows a transaction ${txHash} at the moment, and it is not tracked.`,
);
export const tooManyOpen = refusal(
  'too_many_open_transactions',
  429,
  (most: number) => `You have ${most} tracked transactions that no node has seen yet. Track more when these were seen or dropped.`,
  (most) => ({ limit: most, retryAfterSeconds: 60 }),
);

/** Why a call is not sent: a word for programs and a sentence for people. */
const NOT_SPONSORED = {
  no_account: 'You have no such account of passkeys. Your first passkey makes one, if you have no wallet.',
  unknown_passkey: 'The signature is of no passkey of yours in this tenant.',
  passkey_not_added: 'This passkey does not sign for the account: a passkey that signs already has to let it.',
  invalid_assertion: 'The passkey signed something else than these calls, in this order, with this place and deadline.',
  wrong_origin: 'The page that asked for the signature is none of this service.',
  passkey_cloned:
    'The signature counter of this passkey went back: somebody may have a copy of it. Take it out of your account and delete it.',
  deadline: 'The deadline must be in the future, and at most ten minutes from now.',
  unknown_call: 'A call was not prepared for your account, was relayed already, or is too old. Prepare it again.',
  method: 'This call is not relayed: it calls strangers, or is for administrators with a wallet of their own.',
  place_taken: 'The place in the order is taken by another relay of yours. Ask for the next one.',
  place_not_next: 'A place before this one is free: the batch could not be sent. Ask for the next one.',
  paused: 'Several of your calls failed on chain. Relays of yours pause for an hour.',
  no_sponsor: 'No sponsor runs in this service.',
} as const;
export type NotSponsored = keyof typeof NOT_SPONSORED;

export const notSponsorable = refusal(
  'not_sponsorable',
  422,
  (reason: NotSponsored) => NOT_SPONSORED[reason],
  (reason) => ({ reason }),
);
export const sponsorshipExhausted = refusal(
  'sponsorship_exhausted',
  429,
  (of: 'tenant' | 'member' | 'sponsor', _retryAfterSeconds: number) =>
    ({
      tenant: 'What the sponsor pays for this tenant in a day is used up. It starts again at midnight UTC.',
      member: 'You have relayed as much as one member may in an hour.',
      sponsor: 'The sponsor has not enough coins for this at the moment.',
    })[of],
  (of, retryAfterSeconds) => ({ of, retryAfterSeconds }),
);
export const relayNotFound = refusal('relay_not_found', 404, (id: string) => `No relay ${id}.`);
export const aboveCeiling = refusal(
  'above_ceiling',
  422,
  (of: 'weiPerDay' | 'relaysPerHour', ceiling: string) => `The platform allows at most ${ceiling} for ${of}: a tenant can only lower it.`,
  (of, ceiling) => (of === 'weiPerDay' ? { ceilingWeiPerDay: ceiling } : { ceilingRelaysPerHour: Number(ceiling) }),
);
