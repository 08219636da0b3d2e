import { existsSync, lstatSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';

interface Sizes {
  readonly BUDGET_MB: number;
  readonly installed: () => { readonly total: number; readonly packages: readonly (readonly [name: string, megabytes: number])[] };
}
interface NestProjects {
  readonly projects: Readonly<Record<string, { readonly root: string; readonly entryFile: string; readonly sourceRoot: string }>>;
}

/** The binaries of another platform are of another size; packages behind a link are somebody else's. */
const measured = process.platform === 'linux' && process.arch === 'x64' && !lstatSync('node_modules').isSymbolicLink();

describe('the installed packages', () => {
  (measured ? it : it.skip)('stay within their budget (npm run size)', async () => {
    const { BUDGET_MB, installed } = (await import(pathToFileURL(resolve('tools/size.mjs')).href)) as Sizes;
    const { total, packages } = installed();
    expect([total <= BUDGET_MB, packages.slice(0, 10)]).toEqual([true, expect.anything()]);
  });
});

interface Package {
  readonly main?: string;
  readonly exports?: unknown;
  readonly scripts?: Readonly<Record<string, string>>;
}
const packageJson = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Package;
const packageNames = readdirSync('node_modules')
  .filter((name) => !name.startsWith('.'))
  .flatMap((name) => (name.startsWith('@') ? readdirSync(`node_modules/${name}`).map((inner) => `${name}/${inner}`) : [name]))
  .filter((name) => existsSync(`node_modules/${name}/package.json`));

describe('scripts of packages', () => {
  it('are run by no npm, and by our own installation only where somebody has read them', () => {
    expect(readFileSync('.npmrc', 'utf8')).toMatch(/^ignore-scripts=true$/m);
    const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { allowScripts: Readonly<Record<string, boolean>> };
    const withScripts = packageNames.filter((name) =>
      ['preinstall', 'install', 'postinstall'].some(
        (script) => packageJson(`node_modules/${name}/package.json`).scripts?.[script] !== undefined,
      ),
    );
    expect(withScripts.length).toBeGreaterThan(0);
    expect(withScripts.filter((name) => !Object.hasOwn(allowScripts, name))).toEqual([]);
  });
});

describe('the slimmed packages', () => {
  /** Their files are read by name: `axe.min.js` for browsers, and sources in Solidity; or loaded by `import` alone. */
  const READ_BY_NAME = new Set(['@bwip-js/node', 'axe-core', 'solady', 'zxing-wasm']);

  it('keep the file by which each of them is loaded', () => {
    const require = createRequire(resolve('package.json'));
    const lost = packageNames.filter((name) => {
      try {
        require.resolve(name);
        return false;
      } catch (error) {
        // A package of types only, or for `import` only, has nothing to require.
        const { main, exports } = packageJson(`node_modules/${name}/package.json`);
        return (error as { code?: string }).code === 'MODULE_NOT_FOUND' && (Boolean(main) || exports !== undefined);
      }
    });
    expect(lost.filter((name) => !READ_BY_NAME.has(name))).toEqual([]);
  });
});

describe('nest-cli.json', () => {
  it('describes every application and library, as users of Nest expect', () => {
    const { projects } = JSON.parse(readFileSync('nest-cli.json', 'utf8')) as NestProjects;
    const folders = ['apps', 'libs'].flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`));
    const nest = folders.filter((folder) => folder !== 'apps/portal').toSorted();
    expect(
      Object.values(projects)
        .map(({ root }) => root)
        .toSorted(),
    ).toEqual(nest);
    for (const { sourceRoot, entryFile } of Object.values(projects))
      expect([sourceRoot, existsSync(`${sourceRoot}/${entryFile}.ts`)]).toEqual([sourceRoot, true]);
  });
});
