import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const sources = ['libs', 'apps'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ts$/.test(name) && !/\.spec\.ts$|(^|\/)(node_modules|testing|portal|client)\//.test(name))
    .map((name) => `${folder}/${name}`),
);

/** Classes with a field of the interface, by name, with the files that have one. */
function describedIn(files: readonly (readonly [path: string, text: string])[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [path, text] of files)
    for (const part of text.split(/^(?=(?:export )?(?:abstract )?class )/m)) {
      const [, name] = /^(?:export )?(?:abstract )?class (\w+)/.exec(part) ?? [];
      if (name !== undefined && /^ {2}@(\w+Field|ApiProperty)\(/m.test(part)) found.set(name, [...(found.get(name) ?? []), path]);
    }
  return found;
}

const shared = (files: readonly (readonly [string, string])[]): readonly string[] =>
  [...describedIn(files)].filter(([, paths]) => paths.length > 1).map(([name, paths]) => `${name}: ${paths.join(', ')}`);

/** The OpenAPI document knows a shape by the name of its class: of two with one name, both answers are described by either. */
describe('the shapes of the interface', () => {
  it('have a name each', () => {
    const files = sources.map((path) => [path, readFileSync(path, 'utf8')] as const);
    expect(describedIn(files).size).toBeGreaterThan(100);
    expect(shared(files)).toEqual([]);
  });

  it('would be found out with the same one', () => {
    const shape = "export class LinkView {\n  @StringField({ description: 'x' })\n  url: string;\n}\n";
    expect(
      shared([
        ['a.ts', shape],
        ['b.ts', `class Plain {}\n${shape}`],
      ]),
    ).toEqual(['LinkView: a.ts, b.ts']);
  });
});
