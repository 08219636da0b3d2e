import { describe, expect, it } from '@jest/globals';
import { handOverIn, handOverProblems } from './hand-over.js';

const now = new Date('2026-11-29T12:00:00Z');
const problemsOf = (metadata: Readonly<Record<string, unknown>>): string[] =>
  handOverProblems(metadata, now).map(({ pointer, code }) => `${pointer} ${code}`);

describe('a note of custody', () => {
  it('says when and where goods changed hands, in the zone in which it was written', () => {
    const location = { name: 'Dock 4', gln: '9520000100032' };
    expect(handOverIn({ handedOverAt: '2026-11-28T17:00:00+07:00', location })).toEqual({
      at: new Date('2026-11-28T10:00:00Z'),
      timeZoneOffset: '+07:00',
      location,
    });
    expect(handOverIn({ handedOverAt: '2026-11-28T10:00:00Z' })).toMatchObject({ timeZoneOffset: null, location: null });
    expect(handOverIn({ why: 'wet bags' })).toBeNull();
    expect(problemsOf({ why: 'wet bags', handedOverAt: '2026-11-28T17:00:00+07:00', location })).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['a day without a time', { handedOverAt: '2026-11-28' }, '/metadata/handedOverAt invalid_time'],
    ['a number', { handedOverAt: 1 }, '/metadata/handedOverAt invalid_time'],
    ['a time without its zone', { handedOverAt: '2026-11-28T10:00:00' }, '/metadata/handedOverAt no_time_zone'],
    ['the 30th of February', { handedOverAt: '2026-02-30T10:00:00Z' }, '/metadata/handedOverAt invalid_time'],
    ['the day after tomorrow', { handedOverAt: '2026-12-01T10:00:00Z' }, '/metadata/handedOverAt in_the_future'],
    ['a place as text', { location: 'dock 4' }, '/metadata/location wrong_type'],
    ['a wrong GLN', { location: { gln: '9520000100033' } }, '/metadata/location/gln wrong_check_digit'],
    ['a wrong GLN in the id', { location: { id: 'https://id.gs1.org/414/9520000100033' } }, '/metadata/location/id wrong_check_digit'],
    ['two GLNs', { location: { gln: '9520000100032', id: 'https://id.gs1.org/414/9520000100018' } }, '/metadata/location/id gln_mismatch'],
  ])('is refused with %s', (_, metadata, problem) => expect(problemsOf({ ...metadata })).toEqual([problem]));
});
