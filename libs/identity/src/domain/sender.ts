import { type Actor, DomainError, isChecksumAddress } from '#kernel';
import { foreignSender } from './errors.js';

/**
 * Who is to sign a prepared transaction (api-decisions §1 "Sender"): the address that the request names, which must be one
 * of the caller's, or the caller's own wallet. Null when there is neither: then gas is taken from the table.
 * @param from as the request gave it
 * @throws DomainError 400 with the pointer /from for what is not EIP-55, 403 `foreign_sender`
 */
export function senderOf(actor: Actor, from?: string | null): string | null {
  if (from === undefined || from === null) return actor.wallet;
  if (!isChecksumAddress(from)) {
    const message = 'from must be an address in its EIP-55 form.';
    throw new DomainError('malformed_request', 400, message, { errors: [{ pointer: '/from', code: 'invalid_address', message }] });
  }
  if (!actor.wallets.includes(from)) throw foreignSender(from);
  return from;
}
