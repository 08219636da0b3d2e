import { describe, expect, it } from '@jest/globals';
import { localDate } from './instant.js';

describe('a day', () => {
  it('is that of the calendar at the place', () => {
    const at = new Date('2026-05-01T23:30:00Z');
    expect(['-07:00', '+05:30', null, 'nowhere'].map((offset) => localDate(at, offset))).toEqual([
      ...['2026-05-01', '2026-05-02', '2026-05-01', '2026-05-01'],
    ]);
  });
});
