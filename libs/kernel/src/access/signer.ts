/** For whom a call was prepared. */
export interface PreparedFor {
  /** EIP-55; null when it was prepared without a sender. */
  readonly sender: string | null;
  /** The organisation of who prepared it. */
  readonly orgId: string | null;
}

export interface Signature {
  /** Somebody else signed than the call was prepared for. */
  readonly senderMismatch: boolean;
  /** EIP-55, where another one signed. */
  readonly preparedSender: string | null;
}

/**
 * Whether somebody else signed (docs/spec/api.md#correlation). Where no sender was named: another organisation than the one that prepared it,
 * or a wallet that nobody here has.
 * @param prepared null for a call that was not prepared here
 */
export function signatureOf(prepared: PreparedFor | null, signer: { readonly address: string; readonly orgId: string | null }): Signature {
  const { sender, orgId } = prepared ?? { sender: null, orgId: null };
  const senderMismatch = sender === null ? orgId !== null && orgId !== signer.orgId : sender !== signer.address;
  return { senderMismatch, preparedSender: senderMismatch ? sender : null };
}
