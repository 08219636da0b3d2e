import { describe, expect, it } from '@jest/globals';
import type { CommittedRecord } from '../events/event-record.js';
import { type ChainEvidence, type SealedWords, type StoredBytes, verify } from './verification.js';

const HASH = `0x${'a'.repeat(64)}` as const;
const event = {
  ...{ id: 'e1', status: 'recorded', processType: 'MILL', ipfsCid: 'cid', dataHash: HASH, metadata: { grade: 1 } },
  ...{ actor: '0xFarm', txHash: `0x${'1'.repeat(64)}`, blockNumber: 7, blockHash: '0xb7' },
} as unknown as CommittedRecord;
const bytes = Buffer.from('{"eventId":"e1","metadata":{"grade":1},"preparedBy":"0xFarm","processType":"MILL"}');
const stored: StoredBytes = { found: 'bytes', bytes, cid: 'cid' };
const chain: ChainEvidence = {
  log: { dataHash: HASH, blockNumber: 7, blockHash: '0xb7' },
  commitment: '0x01',
  expectedCommitment: '0x01',
};
const UNREAD = { record_content: 'unreachable', content_sender: 'unreachable' };
const judged = (changes: { event?: object; stored?: StoredBytes; cidOfHash?: string | null; chain?: ChainEvidence | null }) => {
  const { status, links } = verify(
    { ...event, ...changes.event },
    changes.stored ?? stored,
    changes.cidOfHash === undefined ? 'cid' : changes.cidOfHash,
    changes.chain === undefined ? chain : changes.chain,
  );
  return { status, wrong: Object.fromEntries(links.filter((link) => link.status !== 'ok').map((link) => [link.link, link.status])) };
};

describe('verification', () => {
  it('holds where bytes, hash, chain and record agree', () => {
    expect(judged({})).toEqual({ status: 'ok', wrong: {} });
  });

  describe('of a sealed content', () => {
    const words = { processType: 'MILL', metadata: { grade: 1 }, preparedBy: '0xFarm' };
    const sealed = (state: SealedWords['state'], content: object): StoredBytes => ({
      ...stored,
      sealed: { id: 'e1', state, content: { ...content } },
    });

    it.each<[string, StoredBytes, string, object]>([
      ['that is open is that of its words', sealed('open', words), 'ok', {}],
      ['with other metadata fails', sealed('open', { ...words, metadata: {} }), 'mismatch', { record_content: 'mismatch' }],
      ['of another sender fails', sealed('open', { ...words, preparedBy: '0xOther' }), 'mismatch', { content_sender: 'mismatch' }],
      [
        'that is closed says so',
        sealed('sealed', { processType: 'MILL' }),
        'sealed',
        { record_content: 'sealed', content_sender: 'sealed' },
      ],
      [
        'that is closed compares its public words',
        sealed('sealed', { processType: 'OTHER' }),
        'mismatch',
        { record_content: 'mismatch', content_sender: 'sealed' },
      ],
      ['that does not fit its block fails', sealed('fault', {}), 'mismatch', { record_content: 'mismatch', content_sender: 'unreachable' }],
    ])('%s', (_, found, status, wrong) => expect(judged({ stored: found })).toEqual({ status, wrong }));
  });

  it.each<[string, Parameters<typeof judged>[0], string, object]>([
    ['a damaged block', { stored: { found: 'corrupt' } }, 'mismatch', { ...UNREAD, bytes_cid: 'mismatch' }],
    ['a missing block', { stored: { found: 'missing' } }, 'unreachable', { ...UNREAD, bytes_cid: 'unreachable' }],
    ['a store that is away', { stored: { found: 'unreachable' } }, 'unreachable', { ...UNREAD, bytes_cid: 'unreachable' }],
    ['another signer than the content names', { event: { actor: '0xOther' } }, 'mismatch', { content_sender: 'mismatch' }],
    ['a store that answers other bytes', { stored: { ...stored, cid: 'other' } }, 'mismatch', { bytes_cid: 'mismatch' }],
    ['a CID of another hash', { cidOfHash: 'other' }, 'mismatch', { cid_data_hash: 'mismatch' }],
    ['a chain that is away', { chain: null }, 'unreachable', { data_hash_chain: 'unreachable', record_chain: 'unreachable' }],
    ['a transaction without the log', { chain: { ...chain, log: null } }, 'mismatch', { data_hash_chain: 'mismatch' }],
    ['another block', { event: { blockHash: '0xb8' } }, 'mismatch', { data_hash_chain: 'mismatch' }],
    ['another commitment', { chain: { ...chain, commitment: '0x02' } }, 'mismatch', { record_chain: 'mismatch' }],
    ['other words', { event: { metadata: { grade: 2 } } }, 'mismatch', { record_content: 'mismatch' }],
    ['bytes that are no event', { stored: { ...stored, bytes: Buffer.from('[') } }, 'mismatch', { ...UNREAD, record_content: 'mismatch' }],
    [
      'a mismatch and something unreachable',
      { cidOfHash: 'other', chain: null },
      'mismatch',
      {
        cid_data_hash: 'mismatch',
        data_hash_chain: 'unreachable',
        record_chain: 'unreachable',
      },
    ],
    [
      'an event that has not landed',
      { event: { status: 'prepared', blockNumber: null } },
      'not_landed',
      {
        data_hash_chain: 'not_landed',
        content_sender: 'not_landed',
        record_chain: 'not_landed',
      },
    ],
  ])('finds %s', (_, changes, status, wrong) => {
    expect(judged(changes)).toEqual({ status, wrong });
  });
});
