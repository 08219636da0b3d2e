import { describe, expect, it } from '@jest/globals';
import { closeAll } from './close-all.js';

describe('what a process closes at its end', () => {
  it('is closed in order, also behind one that fails, and the first fault is told', async () => {
    const closed: string[] = [];
    const closing = closeAll([
      () => Promise.reject(new Error('the application hangs')),
      () => Promise.resolve().then(() => closed.push('engines')),
      () => {
        throw new Error('the port is gone');
      },
      () => closed.push('folder'),
    ]);
    await expect(closing).rejects.toThrow('the application hangs');
    expect(closed).toEqual(['engines', 'folder']);
  });
});
