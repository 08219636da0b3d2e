import { describe, expect, it } from '@jest/globals';
import { DatabaseUnusable } from '../connection/endpoint.js';
import { isDatabaseAway, isUnavailable } from './unit-of-work.js';

const at = { host: 'db.example', port: 5432, user: 'trace', database: 'lots' };
const coded = (code: string): Error => Object.assign(new Error('said so'), { code });

describe('a database that is away', () => {
  it.each([coded('ECONNREFUSED'), coded('57P03'), new Error('timeout expired'), new Error('Connection terminated unexpectedly')])(
    'is one, also in the sentence for operators: %s',
    (error) => {
      expect([isDatabaseAway(error), isDatabaseAway(new DatabaseUnusable(at, error))]).toEqual([true, true]);
    },
  );

  it.each([coded('28P01'), coded('3D000'), new Error('no idea')])('is not one that refuses: %s', (error) => {
    expect([isDatabaseAway(error), isDatabaseAway(new DatabaseUnusable(at, error))]).toEqual([false, false]);
  });

  it.each(['57P01', '28P01', '28000', '3D000', '3F000', '42P01'])('is unavailable to a process that has used it, with %s', (code) => {
    expect(isUnavailable(coded(code))).toBe(true);
  });

  it.each(['42501', '42703', '23505'])('is available where it refuses a statement, with %s', (code) => {
    expect(isUnavailable(coded(code))).toBe(false);
  });
});
