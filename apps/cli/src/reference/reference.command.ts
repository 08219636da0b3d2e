import { mkdirSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { envExample, settingsPage } from '#config';
import { commandsPage } from './commands-page.js';
import { type ApiDocument, errorsPage, routesPage } from './document-pages.js';
import { tablesPage } from './tables-page.js';
import { topicsPage } from './topics-page.js';

/** Tests compare each page with the code. */
export function addReference(program: Command, say: (line: string) => void): void {
  program
    .command('reference')
    .description('write the pages that are generated from the code: docs/reference and .env.example')
    .option('--base-url <url>', 'a running service of this version; without it the pages of routes and errors are not written')
    .action(async ({ baseUrl }: { baseUrl?: string }) => {
      const pages = {
        'docs/reference/configuration.md': settingsPage(),
        '.env.example': envExample(),
        'docs/reference/commands.md': commandsPage(program),
        'docs/reference/topics.md': topicsPage(),
        'docs/reference/tables.md': tablesPage(),
        ...(baseUrl !== undefined && (await pagesOf(baseUrl))),
      };
      mkdirSync('docs/reference', { recursive: true });
      for (const [path, page] of Object.entries(pages)) writeFileSync(path, page);
      say(Object.keys(pages).join('\n'));
    });
}

async function pagesOf(baseUrl: string): Promise<Readonly<Record<string, string>>> {
  const document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as ApiDocument;
  return { 'docs/reference/routes.md': routesPage(document), 'docs/reference/errors.md': errorsPage(document) };
}
