import { describe, expect, it } from '@jest/globals';
import { type Schedule, nextDue, readSchedule } from './schedule.js';

const due = (given: Record<string, unknown>, after: string): string =>
  nextDue(readSchedule(given, '') as Schedule, new Date(after)).toISOString();

describe('the schedule of a subscription', () => {
  it.each([
    [{ second: '0', minute: '0,30' }, '2026-11-28T08:29:59.999Z', '2026-11-28T08:30:00.000Z'],
    [{ second: '0', minute: '0,30' }, '2026-11-28T08:30:00.000Z', '2026-11-28T09:00:00.000Z'],
    [{ second: '[10-12]' }, '2026-11-28T08:00:10.500Z', '2026-11-28T08:00:11.000Z'],
    [{ second: 0, minute: 0, hour: '1' }, '2026-11-28T08:00:00Z', '2026-11-29T01:00:00.000Z'],
    [{ second: '0', minute: '0', hour: '0', dayOfMonth: '29', month: '2' }, '2026-11-28T08:00:00Z', '2028-02-29T00:00:00.000Z'],
    // Of 2100, which is no leap year.
    [{ second: '0', minute: '0', hour: '0', dayOfMonth: '29', month: '2' }, '2096-03-01T00:00:00Z', '2104-02-29T00:00:00.000Z'],
    // 30 November 2026 is a Monday.
    [{ second: '0', minute: '0', hour: '0', dayOfWeek: '1' }, '2026-11-28T08:00:00Z', '2026-11-30T00:00:00.000Z'],
    [{ second: '0', minute: '0', hour: '0', dayOfWeek: '7' }, '2026-11-28T08:00:00Z', '2026-11-29T00:00:00.000Z'],
    [{}, '2026-11-28T08:00:00.000Z', '2026-11-28T08:00:01.000Z'],
  ])('%j is due behind %s at %s', (given, after, expected) => {
    expect(due(given, after)).toBe(expected);
  });

  it.each([
    [{ second: '60' }, '/s/second'],
    [{ minute: '5-1' }, '/s/minute'],
    [{ hour: 'noon' }, '/s/hour'],
    [{ dayOfMonth: '30', month: '2' }, '/s/dayOfMonth'],
    [{ dayOfWeek: '0' }, '/s/dayOfWeek'],
    [{ week: '1' }, '/s/week'],
    [{ second: ['1'] }, '/s/second'],
  ])('%j is refused', (given, pointer) => {
    expect(readSchedule(given, '/s')).toEqual([expect.objectContaining({ pointer })]);
  });
});
