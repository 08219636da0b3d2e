import { describe, expect, it } from '@jest/globals';
import { readJsonBody } from '#http';
import { longestStop } from '../harness/loop-stops.js';

const many = (item: string, amount: number): string => Array.from({ length: amount }, () => item).join(', ');

describe('a JSON body of megabytes', () => {
  it.each([
    ['many small objects', `[${many('{"a":1,"b":[2,3],"c":"text"}', 120_000)}]`],
    ['white space', `[${' '.repeat(8_000_000)}]`],
    ['lists at the deepest level', `{"a":${'[1,'.repeat(31)}[${many('[7]', 400_000)}]${']'.repeat(31)}}`],
  ])('keeps nobody waiting: %s', async (_, text) => {
    const bytes = Buffer.from(text);
    const stops: number[] = [];
    for (let run = 0; run < 4; run++) stops.push((await longestStop(() => readJsonBody(bytes).catch(() => null))).stop);
    // The first runs compile, and garbage is collected at any time.
    expect(Math.min(...stops)).toBeLessThan(50);
  });
});
