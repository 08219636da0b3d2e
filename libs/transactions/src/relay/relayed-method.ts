/**
 * Methods of the tenant's contract that are relayed. Not those that call a receiver, who could use up the sponsor's gas
 * (`safeTransferFrom`), and none that ends in another contract.
 */
const RELAYED: ReadonlySet<string> = new Set([
  'recordEvent',
  'voidEvent',
  'amendEvent',
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

export const isRelayed = (method: string | null): boolean => method !== null && RELAYED.has(method);
export const isKeyChange = (method: string | null): boolean => method !== null && OF_ACCOUNT.has(method);
