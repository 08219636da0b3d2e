import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const FOLDERS = ['apps', 'bench', 'contracts', 'docs', 'libs', 'ops'];
const SKIPPED = /(^|\/)(node_modules|dist|out|cache)(\/|$)/;

const pages = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => path.endsWith('.md') && !SKIPPED.test(path)),
  ),
];

/** As GitHub makes the anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
const anchorsIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => anchorOf(heading!)));

/** Links in the text; code blocks have none. */
const linksIn = (text: string): readonly string[] =>
  [
    ...text
      .replaceAll(/^```[\s\S]*?^```/gm, '')
      .replaceAll(/`[^`\n]*`/g, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ].map(([, link]) => link!);

function faultOf(page: string, link: string, text: string): string | null {
  if (/^[a-z]+:/.test(link)) return null;
  const [path, anchor] = link.split('#') as [string, string?];
  const target = path === '' ? page : normalize(join(dirname(page), path));
  if (path !== '' && !existsSync(target)) return `${page}: ${link} leads nowhere`;
  if (anchor === undefined || !target.endsWith('.md')) return null;
  const there = anchorsIn(path === '' ? text : readFileSync(target, 'utf8'));
  return there.has(anchor) ? null : `${page}: ${link} has no such heading`;
}

const faultsIn = (page: string, text: string): readonly string[] => linksIn(text).flatMap((link) => faultOf(page, link, text) ?? []);

describe('the links of the documentation', () => {
  it('lead to files and headings that there are', () => {
    expect(pages.length).toBeGreaterThan(40);
    expect(pages.flatMap((page) => faultsIn(page, readFileSync(page, 'utf8')))).toEqual([]);
  });

  it('would be found out where they do not', () => {
    const text = '# One thing\n[a](nowhere.md) [b](#one-thing) [c](#another) [d](../LICENSE) `[e](code.md)` [f](https://example.org)\n';
    expect(faultsIn('docs/page.md', text)).toEqual([
      'docs/page.md: nowhere.md leads nowhere',
      'docs/page.md: #another has no such heading',
    ]);
  });

  it('lead to one heading each: no page has the same heading twice', () => {
    const repeated = (text: string): readonly string[] => {
      const headings = [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => anchorOf(heading!));
      return headings.filter((heading, i) => headings.indexOf(heading) < i);
    };
    const own = pages.filter((page) => page !== 'CHANGELOG.md' && !page.startsWith('docs/reference/'));
    expect(own.flatMap((page) => repeated(readFileSync(page, 'utf8')).map((heading) => `${page}: ${heading}`))).toEqual([]);
    expect(repeated('# One\n## Two\n## Two')).toEqual(['two']);
  });

  it('reach every page from the first one', () => {
    const reached = new Set(['docs/README.md']);
    for (const page of reached)
      for (const link of linksIn(readFileSync(page, 'utf8'))) {
        const target = normalize(join(dirname(page), link.split('#')[0]!));
        if (!/^[a-z]+:/.test(link) && target.endsWith('.md') && target.startsWith('docs/') && existsSync(target)) reached.add(target);
      }
    // Decisions are found in their folder, by number.
    expect(pages.filter((page) => page.startsWith('docs/') && !page.startsWith('docs/adr/0') && !reached.has(page))).toEqual([]);
  });
});
