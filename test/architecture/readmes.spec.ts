import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

interface Rule {
  readonly name: string;
  readonly from: { readonly path?: string | readonly string[] };
  readonly to: { readonly path?: string | readonly string[] };
}
const rules = (createRequire(import.meta.url)(resolve('.dependency-cruiser.cjs')) as { forbidden: Rule[] }).forbidden;
const libraries = readdirSync('libs');
const readme = (library: string): string => readFileSync(`libs/${library}/README.md`, 'utf8');

/** Features of a library, floor by floor, as the linter knows them. */
function floorsOf(library: string): string[][] {
  const groups = (path: Rule['from']['path']): string[] => /src\/\(([a-z0-9|-]+)\)/.exec(String(path))?.[1]!.split('|').toSorted() ?? [];
  const own = rules.filter(({ from }) => String(from.path).startsWith(`^libs/${library}/src/(`));
  if (own.length === 0) return [];
  const floors = own.map(({ from }) => groups(from.path));
  // A last floor of one feature has no rule of its own.
  const last = groups(own.at(-1)!.to.path).filter((feature) => !floors.flat().includes(feature));
  return last.length === 0 ? floors : [...floors, last];
}

/** The first line of code in the README that orders features. */
const floorsIn = (text: string): string[][] =>
  /`([a-z0-9 ,-]+(?:< [a-z0-9 ,-]+)+)`/
    .exec(text)?.[1]!
    .split('<')
    .map((floor) =>
      floor
        .split(',')
        .map((feature) => feature.trim())
        .toSorted(),
    ) ?? [];

describe('the README of a library', () => {
  it('has something to say in each of them', () => {
    expect(libraries.filter((library) => !existsSync(`libs/${library}/README.md`) || readme(library).length < 500)).toEqual([]);
  });

  it('has the features in the order in which the linter lets them import each other', () => {
    const ordered = libraries.filter((library) => floorsOf(library).length > 0);
    expect(ordered.length).toBeGreaterThan(8);
    expect(ordered.map((library) => [library, floorsIn(readme(library))])).toEqual(ordered.map((library) => [library, floorsOf(library)]));
  });

  it('is in the table of CONTRIBUTING', () => {
    const known = [...readFileSync('CONTRIBUTING.md', 'utf8').matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
    expect(libraries.filter((library) => !known.includes(library))).toEqual([]);
  });
});
