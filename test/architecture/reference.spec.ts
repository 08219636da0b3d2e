import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { envExample, settingsPage } from '#config';
import { program } from '../../apps/cli/src/program.js';
import { commandsPage } from '../../apps/cli/src/reference/commands-page.js';
import { tablesPage } from '../../apps/cli/src/reference/tables-page.js';
import { topicsPage } from '../../apps/cli/src/reference/topics-page.js';

/** `npm run cli -- reference` writes them. */
describe('pages made from the code', () => {
  it.each([
    ['docs/reference/configuration.md', settingsPage],
    ['.env.example', envExample],
    ['docs/reference/commands.md', () => commandsPage(program)],
    ['docs/reference/topics.md', topicsPage],
    ['docs/reference/tables.md', tablesPage],
  ])('%s says what the code reads', (path, made) => {
    expect(readFileSync(path, 'utf8')).toBe(made());
  });
});
