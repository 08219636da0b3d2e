import { describe, expect, it } from '@jest/globals';
import { methodsOf } from '#chain';
import { isKeyChange, isRelayed } from './relayed-method.js';

describe('methods that the sponsor pays for', () => {
  it('call no receiver, and are none of the contract that only an upgrade has', () => {
    expect(['safeTransferFrom', 'recoverLot', 'transferOwnership', 'multicall', null].map((name) => isRelayed(name, 'member'))).toEqual(
      Array(5).fill(false),
    );
    expect([isRelayed('recordEvent', 'member'), isRelayed('setRoles', 'member'), isRelayed('addKey', 'member')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('hold the lots of an organisation, in its account: nothing that needs a role', () => {
    const names = methodsOf().map(({ name }) => name);
    expect([...new Set(names)].filter((name) => isRelayed(name, 'organisation')).toSorted()).toEqual([
      ...['acceptCustody', 'acceptParts', 'approve', 'cancelCustody', 'offerCustody', 'offerParts', 'rejectCustody'],
      ...['setApprovalForAll', 'setDirectReceipt', 'transferFrom'],
    ]);
  });

  it('change the keys of the account itself, and do not nest batches', () => {
    expect(['addKey', 'removeKey', 'proposeRemoval', 'vetoRemoval'].map(isKeyChange)).toEqual([true, true, true, true]);
    expect(['execute', 'cancel', 'initialize', 'isValidSignature', null].map(isKeyChange)).toEqual(Array(5).fill(false));
  });
});
