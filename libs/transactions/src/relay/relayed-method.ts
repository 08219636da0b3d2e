/** What the account of an organisation may do: it holds lots, and has no role with which it could do more. */
const OF_ORGANISATION: ReadonlySet<string> = new Set([
  'offerCustody',
  'acceptCustody',
  'rejectCustody',
  'cancelCustody',
  'offerParts',
  'acceptParts',
  'transferFrom',
  'approve',
  'setApprovalForAll',
  'setDirectReceipt',
]);

/**
 * Methods of the tenant's contract that are relayed. Not those that call a receiver, who could use up the sponsor's gas
 * (`safeTransferFrom`), and none that ends in another contract.
 */
const RELAYED: ReadonlySet<string> = new Set([
  'recordEvent',
  'voidEvent',
  'amendEvent',
  ...OF_ORGANISATION,
  'settle',
  'retire',
  'recall',
  'recallMany',
  'liftRecall',
  'setRoles',
  'setProcessScope',
  'proposeWallet',
  'acceptWallet',
  'vetoWallet',
  'pause',
]);

/** Of the account itself: only its own keys, one level deep. */
const OF_ACCOUNT: ReadonlySet<string> = new Set(['addKey', 'removeKey', 'proposeRemoval', 'vetoRemoval']);

export const isRelayed = (method: string | null, of: 'member' | 'organisation'): boolean =>
  method !== null && (of === 'member' ? RELAYED : OF_ORGANISATION).has(method);
export const isKeyChange = (method: string | null): boolean => method !== null && OF_ACCOUNT.has(method);
