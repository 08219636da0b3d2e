import { expect, it } from '@jest/globals';
import { WriteWatch } from './write-watch.js';

it('writes nothing while writes work, tries every five seconds after one that failed, and forgets it when one works', async () => {
  let now = 0;
  let isFull = true;
  let tries = 0;
  const watch = new WriteWatch(() => now);
  const write = (): Promise<void> => {
    tries++;
    return isFull ? Promise.reject(new Error('still full')) : Promise.resolve();
  };
  await watch.check(write);
  expect(tries).toBe(0);

  watch.failed(new Error('full'));
  await expect(watch.check(write)).rejects.toThrow('full');
  now = 4_999;
  await expect(watch.check(write)).rejects.toThrow('full');
  expect(tries).toBe(0);
  now = 5_000;
  await expect(watch.check(write)).rejects.toThrow('still full');
  now = 6_000;
  await expect(watch.check(write)).rejects.toThrow('still full');
  expect(tries).toBe(1);

  isFull = false;
  now = 10_000;
  await watch.check(write);
  await watch.check(write);
  expect(tries).toBe(2);
});
