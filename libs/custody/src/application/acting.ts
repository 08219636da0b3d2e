import { type Actor, invalidContent, isChecksumAddress, reachesProcess, refusal } from '#kernel';

const processOutOfScope = refusal(
  'process_out_of_scope',
  403,
  (processType: string) => `Your roles do not reach the process ${processType}.`,
);
const senderNotYours = refusal(
  'sender_not_allowed',
  403,
  (address: string) => `${address} is neither your wallet nor one you may prepare for.`,
);

export function requireProcess(actor: Actor, processType: string): void {
  if (!reachesProcess(actor, processType)) throw processOutOfScope(processType);
}

export function senderOf(actor: Actor, from: string | undefined): string | null {
  if (from === undefined) return actor.wallet;
  if (!isChecksumAddress(from)) throw invalidContent([{ pointer: '/from', code: 'wrong_checksum', message: 'must be an EIP-55 address' }]);
  if (!actor.wallets.includes(from)) throw senderNotYours(from);
  return from;
}
