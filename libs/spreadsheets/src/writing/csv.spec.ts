import { describe, expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import type { Line } from '../table.js';
import { type Pages, cellText, csvOf } from './csv.js';

const table = (pages: Pages<Line>): Readable => csvOf(['a', 'b'], (row: Line) => [row], pages);
const textOf = async (pages: readonly (readonly Line[])[]): Promise<string> =>
  Buffer.concat(await Readable.from(table(pages)).toArray()).toString();

describe('a table', () => {
  it('quotes what RFC 4180 asks to be quoted, and nothing else', async () => {
    const rows = [{ a: 'plain text', b: 'a, b' }, { a: 'say "so"', b: 'one\ntwo' }, { a: 'one\rtwo', b: null }, { b: 1 }];
    expect(await textOf([rows])).toBe('\uFEFFa,b\r\nplain text,"a, b"\r\n"say ""so""","one\ntwo"\r\n"one\rtwo",\r\n,1\r\n');
  });

  it('has its header when there is nothing in it', async () => {
    expect(await textOf([])).toBe('\uFEFFa,b\r\n');
    expect(await textOf([[]])).toBe('\uFEFFa,b\r\n');
  });

  it('breaks off where a later page cannot be read, so that nobody takes a part for the whole', async () => {
    const pages = async function* () {
      yield [{ a: 1 }];
      await Promise.resolve();
      throw new Error('the database went away');
    };
    await expect(Readable.from(table(pages())).toArray()).rejects.toThrow('the database went away');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '  =1', '＝1', '−'.replace('−', '－') + '1'])(
    'takes the formula out of %j',
    (text) => {
      expect(cellText(text)).toBe(`'${text}`);
    },
  );

  it('leaves numbers and dates what they are', () => {
    expect([-5.25, 0, true, null].map(cellText)).toEqual(['-5.25', '0', 'true', '']);
    expect(cellText(new Date('2026-09-20T15:00:00Z'))).toBe('2026-09-20T15:00:00.000Z');
    expect(cellText(['=a', 'b'])).toBe("'=a; b");
    expect(cellText('RP262641 - 1 = 2')).toBe('RP262641 - 1 = 2');
  });
});
