import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RepeatedLines } from './repeated-lines.js';

const MINUTE = 60_000;

describe('lines that repeat', () => {
  let written: string[];
  let lines: RepeatedLines;
  const say = (text: string): void => lines.write(['warn', text], (repeated) => void written.push(`${text} ${repeated}`));
  beforeEach(() => {
    jest.useFakeTimers();
    written = [];
    lines = new RepeatedLines();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('are written once at first, then once a minute with their number', () => {
    for (let time = 0; time < 300; time++) say('no space left');
    expect(written).toEqual(['no space left 0']);
    jest.advanceTimersByTime(MINUTE);
    expect(written).toEqual(['no space left 0', 'no space left 299']);
  });

  it('are new again after a minute without them', () => {
    say('no space left');
    jest.advanceTimersByTime(MINUTE);
    say('no space left');
    expect(written).toEqual(['no space left 0', 'no space left 0']);
  });

  it('are the same when only a number differs, and others when a word does', () => {
    for (const line of ['could not extend file 16389', 'could not extend file 16390', 'connection lost']) say(line);
    expect(written).toEqual(['could not extend file 16389 0', 'connection lost 0']);
  });
});
