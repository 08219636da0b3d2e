import { describe, expect, it } from '@jest/globals';
import { mailboxOf } from './mailbox.js';

describe('the mailbox of an address', () => {
  it.each([
    [' Ada@Rice.Example ', 'ada@rice.example'],
    ['ada+news@rice.example', 'ada@rice.example'],
    ['ada+a+b@rice.example', 'ada@rice.example'],
    ['+ada@rice.example', '+ada@rice.example'],
    ['"a@b"@rice.example', '"a@b"@rice.example'],
  ])('%s is %s', (address, mailbox) => expect(mailboxOf(address)).toBe(mailbox));
});
