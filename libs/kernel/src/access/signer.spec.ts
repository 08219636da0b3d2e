import { describe, expect, it } from '@jest/globals';
import { signatureOf } from './signer.js';

const signer = { address: '0x01', orgId: 'mill' };

describe('the signature of a prepared call', () => {
  it.each([
    ['of the sender it was prepared for', { sender: '0x01', orgId: 'farm' }, { senderMismatch: false, preparedSender: null }],
    ['of another one', { sender: '0x02', orgId: 'mill' }, { senderMismatch: true, preparedSender: '0x02' }],
    [
      'without a sender, of the organisation that prepared it',
      { sender: null, orgId: 'mill' },
      { senderMismatch: false, preparedSender: null },
    ],
    ['without a sender, of another organisation', { sender: null, orgId: 'farm' }, { senderMismatch: true, preparedSender: null }],
    ['without sender and organisation', { sender: null, orgId: null }, { senderMismatch: false, preparedSender: null }],
    ['of what was not prepared here', null, { senderMismatch: false, preparedSender: null }],
  ])('%s', (_, prepared, expected) => expect(signatureOf(prepared, signer)).toEqual(expected));

  it('of a wallet that nobody here has is another one, where no sender was named', () => {
    expect(signatureOf({ sender: null, orgId: 'mill' }, { address: '0x01', orgId: null }).senderMismatch).toBe(true);
  });
});
