import { describe, expect, it } from '@jest/globals';
import { closeAll } from './close-all.js';

describe('what a process closes at its end', () => {
  it('is closed in order, also after one that fails, and the first fault is thrown', async () => {
    const closed: string[] = [];
    const closing = closeAll([
      ['the application', () => Promise.reject(new Error('the application hangs'))],
      ['the engines', () => Promise.resolve().then(() => closed.push('engines'))],
      [
        'the port',
        () => {
          throw new Error('the port is gone');
        },
      ],
      ['the folder', () => closed.push('folder')],
    ]);
    await expect(closing).rejects.toThrow('the application hangs');
    expect(closed).toEqual(['engines', 'folder']);
  });

  it('is not waited for when it never ends: a sentence says what it was, and the rest is closed', async () => {
    const closed: string[] = [];
    const closing = closeAll(
      [
        ['the application', () => new Promise(() => undefined)],
        ['the folder', () => closed.push('folder')],
      ],
      20,
    );
    await expect(closing).rejects.toThrow('Closing the application took longer than 0.02 s, so it was not waited for.');
    expect(closed).toEqual(['folder']);
  });
});
