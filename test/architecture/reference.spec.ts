import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { envExample, settingsPage } from '#config';

/** `npm run cli -- reference` writes them anew. */
describe('pages made from the code', () => {
  it.each([
    ['docs/reference/configuration.md', settingsPage],
    ['.env.example', envExample],
  ])('%s says what the code reads', (path, made) => {
    expect(readFileSync(path, 'utf8')).toBe(made());
  });
});
