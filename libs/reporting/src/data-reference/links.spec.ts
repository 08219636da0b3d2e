import { describe, expect, it } from '@jest/globals';
import {
  type ChainToken,
  type ChainReceipt,
  type RecordedToken,
  contentVerdict,
  dataHashVerdict,
  documentPointers,
  documentVerdict,
  identifierVerdict,
  identifiersIn,
  tokenVerdict,
  transactionVerdict,
} from './links.rules.js';
import { type PointerSubject, checkedPointer, statusOf } from './pointer.js';

const statusFor = ({ resolved, matches }: { resolved: boolean | null; matches: boolean | null }): string => statusOf({ resolved, matches });

describe('the pointer to bytes', () => {
  it.each([
    [{ found: 'bytes', size: 3, cid: 'c', sha256: 's' } as const, 'ok'],
    [{ found: 'bytes', size: 3, cid: 'other', sha256: 's' } as const, 'mismatch'],
    [{ found: 'corrupt' } as const, 'mismatch'],
    [{ found: 'missing' } as const, 'unresolved'],
  ])('%j is %s', (stored, status) => {
    expect(statusFor(contentVerdict('c', stored))).toBe(status);
  });
});

describe('the pointers of an event into the chain', () => {
  const event = { txHash: '0xt', blockNumber: 7, blockHash: '0xb', logIndex: 3, dataHash: '0xd' };
  const receipt: ChainReceipt = { succeeded: true, blockNumber: 7, blockHash: '0xb', log: { logIndex: 3, dataHash: '0xd' } };

  it('match if everything is equal', () => {
    expect([statusFor(transactionVerdict(event, receipt)), statusFor(dataHashVerdict(event, receipt, '0xd'))]).toEqual(['ok', 'ok']);
  });
  it.each([
    ['another block', { ...receipt, blockHash: '0xc' }, 'it is in block 7 0xc, the record states 7 0xb'],
    ['a failure', { ...receipt, succeeded: false }, 'it reverted'],
    ['no log', { ...receipt, log: null }, 'it has no log of this event'],
    ['another log', { ...receipt, log: { logIndex: 4, dataHash: '0xd' } }, "the event's log is number 4, the record states 3"],
  ])('name %s', (_, other, problem) => {
    const link = transactionVerdict(event, other);
    expect([statusFor(link), link.detail]).toEqual(['mismatch', `Transaction 0xt: ${problem}.`]);
  });
  it('do not resolve without a receipt', () => {
    expect([statusFor(transactionVerdict(event, null)), statusFor(dataHashVerdict(event, null, '0xd'))]).toEqual([
      'unresolved',
      'unresolved',
    ]);
  });
  it('compare record and content with the chain, each on its own', () => {
    expect(dataHashVerdict({ ...event, dataHash: '0xe' }, receipt, '0xd').detail).toBe('The chain has the data hash 0xd, the record 0xe.');
    expect(dataHashVerdict(event, receipt, '0xe').detail).toBe('The chain has the data hash 0xd, the content 0xe.');
    // Missing content is reported by the CID pointer.
    expect(statusFor(dataHashVerdict(event, receipt, null))).toBe('ok');
  });
});

describe('the pointer to a token', () => {
  const lot: RecordedToken = {
    tokenId: 8n,
    tlc: 'RP',
    tlcHash: '0x',
    custodian: '0xa',
    retired: false,
    voided: false,
    recalled: false,
    usedUp: false,
    inTransit: false,
    contained: false,
    remaining: 5n,
  };
  const chain: ChainToken = { custodian: '0xa', status: 'active', recalled: false, remaining: 5n, uncounted: false, tokenOfTlc: 8n };

  it.each([
    [{}, {}, 'ok'],
    [{}, { custodian: '0xb' }, 'mismatch'],
    [{}, { status: 'consumed' }, 'mismatch'],
    [{}, { remaining: 4n }, 'mismatch'],
    [{}, { tokenOfTlc: 9n }, 'mismatch'],
    [{ recalled: true, contained: true }, { status: 'recalled' }, 'ok'],
    [{ contained: true, inTransit: true }, { status: 'aggregated' }, 'ok'],
    [{ inTransit: true }, { status: 'in_transit' }, 'ok'],
    [{ retired: true, recalled: true }, { status: 'retired', remaining: 0n }, 'ok'],
    [{ retired: true, voided: true }, { status: 'retired', tokenOfTlc: 0n }, 'ok'],
    [{ remaining: null }, { uncounted: true, remaining: 0n }, 'ok'],
  ] as const)('record %j, chain %j: %s', (record, other, status) => {
    expect(statusFor(tokenVerdict({ ...lot, ...record }, { ...chain, ...other }))).toBe(status);
  });
  it('names what differs', () => {
    expect(tokenVerdict(lot, { ...chain, custodian: '0xb', remaining: 4n }).detail).toBe(
      'Token 8 (RP): the custodian is 0xb on chain and 0xa in the record; the remaining millionths is 4 on chain and 5 in the record.',
    );
    expect(statusFor(tokenVerdict(lot, null))).toBe('unresolved');
  });
});

describe('documents', () => {
  const given = (document: object) =>
    documentPointers(
      [document as never],
      (cid) => cid.startsWith('bafkrei'),
      (sha256) => `bafkrei-${sha256.slice(0, 2)}`,
    );
  const sha256 = 'ab'.repeat(32);
  it('point by CID, by hash, elsewhere, or nowhere', () => {
    expect(given({ type: 'T', number: '1' })).toEqual([]);
    expect(given({ type: 'T', number: '1', cid: 'bafkreix', sha256 })).toEqual([
      { name: 'T 1', cid: 'bafkreix', derived: false, elsewhere: null, sha256 },
    ]);
    expect(given({ type: 'T', number: '1', sha256, url: 'https://x' })).toEqual([
      { name: 'T 1', cid: 'bafkrei-ab', derived: true, elsewhere: 'https://x', sha256 },
    ]);
    expect(given({ type: 'T', number: '1', url: 'https://x' })).toEqual([
      { name: 'T 1', cid: null, derived: false, elsewhere: 'https://x', sha256: null },
    ]);
  });
  it('match what the event states, or name the difference', () => {
    const [document] = given({ type: 'T', number: '1', cid: 'bafkreix', sha256 });
    const bytes = { found: 'bytes', size: 1, cid: 'bafkreix', sha256 } as const;
    expect(statusFor(documentVerdict(document!, bytes))).toBe('ok');
    expect(documentVerdict(document!, { ...bytes, sha256: 'cd' })).toMatchObject({
      matches: false,
      detail: expect.stringContaining('T 1: the content of its CID'),
    });
    expect(statusFor(documentVerdict(document!, { found: 'corrupt' }))).toBe('mismatch');
    expect(statusFor(documentVerdict(document!, { found: 'missing' }))).toBe('unresolved');
    // The content may be elsewhere, and no address is fetched.
    expect(statusFor(documentVerdict(given({ type: 'T', number: '1', sha256 })[0]!, { found: 'missing' }))).toBe('not_checked');
    expect(statusFor(documentVerdict(given({ type: 'T', number: '1', url: 'http://169.254.169.254/' })[0]!, null))).toBe('not_checked');
  });
});

describe('identifiers of other systems', () => {
  it('are found anywhere, once each', () => {
    const metadata = {
      gtin: '09520123450014',
      location: { gln: '9520000100018' },
      parts: [{ GTIN: '09520123450014' }],
      lei: 7,
      deep: { sscc: 'x' },
    };
    expect(identifiersIn(metadata)).toEqual([
      { key: 'gtin', value: '09520123450014' },
      { key: 'gln', value: '9520000100018' },
      { key: 'sscc', value: 'x' },
    ]);
    expect(identifiersIn(null)).toEqual([]);
  });
  it('have a format, check digits and, as SSCC, one container', () => {
    const sscc = { key: 'sscc', value: '095200000000000011' } as const;
    expect(statusFor(identifierVerdict(sscc, true, null))).toBe('ok');
    expect(identifierVerdict(sscc, true, 'e2').detail).toContain('also used for another container, packed by event e2');
    expect(identifierVerdict(sscc, false, null).detail).toBe('The check digit of SSCC 095200000000000011 is wrong.');
    expect(identifierVerdict({ key: 'gln', value: '12' }, true, null).detail).toBe('12 is not a GLN.');
    expect(statusFor(identifierVerdict({ key: 'did', value: 'did:pkh:eip155:1:0xAb' }, true, null))).toBe('ok');
    expect(statusFor(identifierVerdict({ key: 'did', value: 'did:pkh:' }, true, null))).toBe('mismatch');
  });
});

it('a pointer keeps its id, whatever is found', () => {
  const subject: PointerSubject = { kind: 'lot', id: '8', tokenId: 8, tlc: 'RP', processType: null, orgIds: [] };
  const [good, bad] = [true, false].map((matches) => checkedPointer('nft', subject, '8', { resolved: true, matches, detail: '' }));
  expect([good!.id === bad!.id, good!.status, bad!.status]).toEqual([true, 'ok', 'mismatch']);
});
