import { describe, expect, it } from '@jest/globals';
import { Sample } from './sample.js';

describe('an answer of an engine that may be away', () => {
  it('is asked for once by any number of scrapes, and kept for a while', async () => {
    let asked = 0;
    const sample = new Sample(() => Promise.resolve(++asked), { keepMs: 60_000 });
    expect(await Promise.all([sample.read(), sample.read()])).toEqual([1, 1]);
    expect(await sample.read()).toBe(1);
  });

  it('is read again when it is old', async () => {
    let asked = 0;
    const sample = new Sample(() => Promise.resolve(++asked), { keepMs: 0 });
    expect([await sample.read(), await sample.read()]).toEqual([1, 2]);
  });

  it('is missing when the engine refuses, and there again when it answers', async () => {
    const answers = [() => Promise.reject(new Error('away')), () => Promise.resolve('here')];
    const sample = new Sample<string>(() => answers.shift()!(), { keepMs: 60_000 });
    expect([await sample.read(), await sample.read()]).toEqual([null, 'here']);
  });

  it('is not waited for when the engine stays silent, which is asked no second time meanwhile', async () => {
    let asked = 0;
    let speak: (answer: string) => void;
    const silent = (): Promise<string> => {
      asked++;
      return new Promise((resolve) => (speak = resolve));
    };
    const sample = new Sample(silent, { keepMs: 60_000, patienceMs: 1 });
    expect([await sample.read(), await sample.read()]).toEqual([null, null]);
    expect(asked).toBe(1);
    speak!('at last');
    expect(await sample.read()).toBe('at last');
  });
});
