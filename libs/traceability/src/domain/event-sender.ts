import { type Actor, invalidContent, isChecksumAddress } from '#kernel';
import { senderNotYours } from './errors.js';

/**
 * The address that signs: the one named, if the actor may prepare for it, else the actor's wallet (api-decisions §1, Sender).
 * @throws DomainError 422 for what is not an address, 403 `sender_not_allowed`
 */
export function senderOf(actor: Actor, from: string | null): string | null {
  if (from === null) return actor.wallet;
  if (!isChecksumAddress(from))
    throw invalidContent([{ pointer: '/from', code: 'bad_address', message: 'must be an address with its EIP-55 checksum' }]);
  if (from !== actor.wallet && !actor.wallets.includes(from)) throw senderNotYours(from);
  return from;
}
