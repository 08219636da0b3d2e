import { expect, it } from '@jest/globals';
import { AnswerBytes } from './answer-bytes.js';

it('has room for a tenant until its answers are at the limit, again when they are deleted, and always for another tenant', () => {
  let hours = 0;
  const kept = new AnswerBytes(100, 24 * 3_600_000, () => hours * 3_600_000);
  kept.add('rice', 60);
  expect(kept.hasRoom('rice')).toBe(true);
  hours = 10;
  kept.add('rice', 60);
  expect([kept.hasRoom('rice'), kept.hasRoom('wool')]).toEqual([false, true]);
  hours = 24;
  expect(kept.hasRoom('rice')).toBe(false);
  hours = 25;
  expect(kept.hasRoom('rice')).toBe(true);
  hours = 60;
  expect(kept.hasRoom('rice')).toBe(true);
});
