import type { UnitOfWork } from '#persistence';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ComposePassport } from '../composing/compose-passport.js';
import { buildPassport } from '../composing/passport.rules.js';
import type { MakeBundle } from '../evidence/make-bundle.js';
import type { IssuedPassport } from '../issuing/issued-passport.js';
import type { PassportsQueries } from '../issuing/passports.queries.js';
import { DEFAULT_SETTING } from '../settings/passport-setting.js';
import { RICE, issued, lotNamed } from '../testing/rice.js';
import { ExportPassports } from './export-passports.job.js';

const BASE = 'https://files.example';
const LINK = '01/09520123450014/10';

let files: Map<string, string>;
beforeEach(() => {
  files = new Map();
});

/** Paths of the files of one passport. */
async function exported(passport: IssuedPassport, showIntegrity = true): Promise<string[]> {
  const setting = { ...DEFAULT_SETTING, showIntegrity };
  const facts = { ...RICE, lot: { ...RICE.lot, ...lotNamed(passport.tlc) } };
  const shown = buildPassport({ issued: passport, setting, facts, footprint: null, claimShare: null, origin: BASE, today: '2026-11-28' });
  const work = { inTransaction: (_: unknown, read: (tx: unknown) => unknown) => Promise.resolve(read({})) } as unknown as UnitOfWork;
  const passports = { after: () => Promise.resolve([passport]) } as unknown as PassportsQueries;
  const compose = { compose: () => Promise.resolve({ passport: shown }) } as unknown as ComposePassport;
  const bundle = { make: () => Promise.resolve('{}') } as unknown as MakeBundle;
  await new ExportPassports(work, passports, compose, bundle).export('a tenant', BASE, {
    write: (path, content) => Promise.resolve(void files.set(path, String(content))),
    remove: (path) => {
      for (const name of files.keys()) if (name === path || name.startsWith(`${path}/`)) files.delete(name);
      return Promise.resolve();
    },
  });
  return [...files.keys()];
}

describe('a static export', () => {
  it.each(['RP262641', '50%25', 'A+B', 'a"b<', '...x'])(
    'of lot %s is where a host that decodes an address once looks for it',
    async (tlc) => {
      expect(await exported(issued({ tlc }))).toContain(`${LINK}/${tlc}/index.html`);
      const page = files.get(`${LINK}/${tlc}/index.html`)!;
      const [, path] = /href="https:\/\/files\.example\/(01\/[^"]+)"/.exec(page)!;
      expect(decodeURIComponent(path!)).toBe(`${LINK}/${tlc}`);
    },
  );

  it.each(['.', '..', '...', '../../etc/passwd', 'A/B', '/A', 'A/'])(
    'of lot %s has a folder by its id alone, and its code leads there',
    async (tlc) => {
      const paths = await exported(issued({ tlc }));
      expect(paths.filter((path) => !path.startsWith('p/') && !path.startsWith('verify/'))).toEqual([]);
      expect(files.get(`p/${issued({}).id}/index.html`)).not.toContain('/01/');
    },
  );

  it('has no evidence of an earlier export, where the tenant shows none any more', async () => {
    const file = `p/${issued({}).id}/bundle.json`;
    expect(await exported(issued({}))).toContain(file);
    expect(await exported(issued({}), false)).not.toContain(file);
  });

  it('has nothing of what was withdrawn', async () => {
    await exported(issued({}));
    expect(await exported(issued({ withdrawnAt: new Date() }))).toEqual(['verify/index.html']);
  });

  it('names in its linkset the file that is JSON', async () => {
    await exported(issued({}));
    const { linkset } = JSON.parse(files.get(`${LINK}/RP262641/linkset.json`)!) as {
      linkset: [Record<string, { type: string; href: string }[]>];
    };
    const hrefs = linkset[0]['https://ref.gs1.org/voc/dpp']!.map(({ href }) => href.slice(BASE.length + 1));
    expect(hrefs.map((href) => files.has(href.endsWith('/') ? `${href}index.html` : href))).toEqual([true, true]);
  });
});
