import { describe, expect, it } from '@jest/globals';
import { inWords, linesOf } from './storage.command.js';

describe('the sizes of tables and stores', () => {
  it.each([
    [0, '0 B'],
    [1_023, '1023 B'],
    [1_536, '1.50 KiB'],
    [150 * 1_024, '150 KiB'],
    [5 * 2 ** 40, '5.00 TiB'],
    [5 * 2 ** 50, '5120 TiB'],
  ])('%i bytes are %s', (bytes, words) => {
    expect(inWords(bytes)).toBe(words);
  });

  it('are a line each, with a mark on what is estimated; empty tables are counted', () => {
    const tables = [
      { name: 'a.large', count: 1_234_567, isEstimate: true, bytes: 2 ** 30, oldest: '2026-01-02T03:04:05.000Z', kept: 'LARGE_DAYS' },
      { name: 'a.small', count: 2, bytes: 8_192, oldest: null, kept: 'always' },
      { name: 'a.empty', count: 0, bytes: 8_192, oldest: null, kept: 'always' },
    ];
    const node = { name: 'IPFS node', count: null, bytes: null, oldest: null, kept: 'its own' };
    expect(linesOf(tables, [node])).toEqual([
      '           rows or files      size  oldest      kept',
      'a.large       ~1,234,567  1.00 GiB  2026-01-02  LARGE_DAYS',
      'a.small                2  8.00 KiB              always',
      'IPFS node              ?         ?              its own',
      '',
      '3 tables, 1 of them empty, 1.00 GiB with their indexes.',
    ]);
  });
});
