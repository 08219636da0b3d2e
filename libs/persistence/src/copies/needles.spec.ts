import { describe, expect, it } from '@jest/globals';
import { blanked, needlesOf } from './needles.js';

const without = (value: unknown, ...erased: Parameters<typeof needlesOf>[0]): unknown => blanked(value, needlesOf(erased)!);

describe('a value that is erased', () => {
  it('is null where it is all of a text, and named where a text says more', () => {
    const said = { name: 'Nguyen Van A', note: 'call Nguyen Van A, or his brother', other: 'Nguyen Van An', list: ['x', 'nguyen van a'] };
    expect(without(said, 'Nguyen Van A')).toEqual({
      ...{ name: null, note: 'call [erased], or his brother', other: 'Nguyen Van An', list: ['x', null] },
    });
  });

  it('is found in names of members, where these are data', () => {
    const lookup = { lookup: { 'Nguyen Van A': 'X', 'of Nguyen Van A': 'Y' } };
    expect(blanked(lookup, needlesOf(['Nguyen Van A'])!, true)).toEqual({ lookup: { '[erased]': 'X', 'of [erased]': 'Y' } });
    expect(without(lookup, 'Nguyen Van A')).toEqual(lookup);
  });

  it('is not found inside of another word or number', () => {
    expect(without({ hash: '0xab1234cd', phone: '1234' }, '1234')).toEqual({ hash: '0xab1234cd', phone: null });
  });

  it('may be a list of numbers, with spaces or without', () => {
    const place = { coordinates: [105.783412, 10.034518], text: 'at [105.783412, 10.034518].', near: [105.783412, 10.0345181] };
    expect(without(place, [105.783412, 10.034518])).toEqual({ ...place, coordinates: null, text: 'at [erased].' });
  });

  it('is found with the characters that patterns and JSON give a meaning', () => {
    for (const value of ['+84 90 (0) 1.2', 'a"b\\c', 'x*y|z?', 'line\nbreak', '^start$', 'Đặng-Thị'])
      expect(without([value, 'z'], value)).toEqual([null, 'z']);
  });

  it('is found where its letters and marks are written as one character or as several', () => {
    const name = 'Lê Thị Kỳ Lạ';
    for (const [erased, said] of [
      [name.normalize('NFC'), name.normalize('NFD')],
      [name.normalize('NFD'), name.normalize('NFC')],
    ] as const)
      expect(without([said, `by ${said}.`], erased)).toEqual([null, 'by [erased].']);
  });

  it('of a person is found however a number is grouped, and not within a longer one', () => {
    const { within } = needlesOf([], ['+84 97 315 20 46'])!;
    const found = (text: string): boolean => new RegExp(within.source, within.flags).test(text);
    expect(['(84) 973-152-046', '+84973152046', 'T 84.97.315.2046!', '84 97 315 20 467', 'x84973152046'].map(found)).toEqual([
      ...[true, true, true, false, false],
    ]);
  });

  it('is not looked for elsewhere where it is too short, a single number or a word of GeoJSON', () => {
    expect(needlesOf(['VN', 500, true, null, 'Polygon', 'MultiPoint'])).toBeNull();
    expect(without('its Polygon of Point Farm', 'Polygon', 'Point Farm')).toBe('its Polygon of [erased]');
    expect(needlesOf([], ['Polygon'])).not.toBeNull();
  });
});
