import { describe, expect, it } from '@jest/globals';
import type { DomainError } from '#kernel';
import { instantIn, isTimeOfCursor, listCursor, periodIn } from './values.js';

const codeOf = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (error) {
    return (error as DomainError).details.errors?.map(({ pointer, code }) => `${pointer} ${code}`).join();
  }
};

describe('the one reader of times', () => {
  it.each([
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['2027-01-31T10:00Z', '2027-01-31T10:00:00.000Z'],
    ['2027-01-31T10:00:00.123456789+07:00', '2027-01-31T03:00:00.123Z'],
    ['2027-01-31T10:00:00 07:00', '2027-01-31T03:00:00.000Z'],
  ])('reads %s', (text, time) => {
    expect(instantIn(text, '/at').toISOString()).toBe(time);
  });

  it.each([
    ['2027-02-30', 'invalid_time'],
    ['2027-02-30T00:00:00Z', 'invalid_time'],
    ['2027-02-29', 'invalid_time'],
    ['2027-13-01', 'invalid_time'],
    ['0000-00-00', 'invalid_time'],
    ['2027-01-01T25:00:00Z', 'invalid_time'],
    ['2027-01-01T00:00:00+0700', 'invalid_time'],
    ['+275760-09-13T00:00:00Z', 'invalid_time'],
    ['1764374400000', 'invalid_time'],
    ['tomorrow', 'invalid_time'],
    ['', 'invalid_time'],
    ['2027-01-01T00:00:00', 'no_time_zone'],
    ['2027-01-01T00:00', 'no_time_zone'],
    ['2027-02-30T00:00:00', 'invalid_time'],
  ])('refuses %s: %s', (text, code) => {
    expect(codeOf(() => instantIn(text, '/at'))).toBe(`/at ${code}`);
  });

  it('reads a period, which ends before its end', () => {
    expect(periodIn('2027-01-01', '2027-01-02')).toEqual({ from: new Date('2027-01-01'), to: new Date('2027-01-02') });
    expect(periodIn(undefined, undefined)).toEqual({ from: null, to: null });
    expect(codeOf(() => periodIn('2027-01-02', '2027-01-01'))).toBe('/from from_after_to');
    expect(codeOf(() => periodIn('2027-01-02', '2027-01-02'))).toBe('/from empty_period');
    expect(codeOf(() => periodIn('2027-01-02', '2027-01-02T07:00:00+07:00', ['createdFrom', 'createdTo']))).toBe(
      '/createdFrom empty_period',
    );
    expect(codeOf(() => periodIn('2027-01-02', '2027-01'))).toBe('/to invalid_time');
  });
});

describe('a cursor', () => {
  const cursors = listCursor('tenant', 'list');
  const forged = (...parts: readonly unknown[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url');

  it('is opaque, of one list, and has no text that no database keeps', () => {
    const [hash] = JSON.parse(Buffer.from(cursors.after('a'), 'base64url').toString()) as string[];
    expect(cursors.place(cursors.after('a', 'b'), () => true)).toEqual(['a', 'b']);
    expect(codeOf(() => cursors.place(listCursor('other', 'list').after('a'), () => true))).toBe('/cursor foreign_cursor');
    for (const parts of [[hash, 'a\0'], [hash, 1], ['a']])
      expect(codeOf(() => cursors.place(forged(...parts), ([part]) => part !== undefined))).toBe('/cursor invalid_cursor');
  });

  it('has times as they are written, and no others that JavaScript reads', () => {
    expect(isTimeOfCursor(new Date(0).toISOString())).toBe(true);
    for (const text of ['+275760-09-13T00:00:00.000Z', '-000001-01-01T00:00:00.000Z', '2026', '2026-13-01T00:00:00.000Z', undefined])
      expect(isTimeOfCursor(text)).toBe(false);
  });
});
