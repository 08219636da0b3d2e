import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Check, Suite, SuiteResult } from './check.js';
import { EPCIS_SUITES } from './epcis.suites.js';

/** To add a suite: a file that makes its checks, and its name here. */
const SUITES: readonly Suite[] = EPCIS_SUITES;

/** From `dist`. */
const root = new URL('../../../', import.meta.url);

/** Other people's data, which are not part of the repository. */
export const dataFolder = (): URL => {
  const given = process.env['CONFORMANCE_DATA'];
  return given === undefined ? new URL('../shared/data/', root) : new URL(`file://${given.replace(/\/?$/, '/')}`);
};

export const hasData = (): boolean => SUITES.some(({ data }) => existsSync(fileURLToPath(new URL(data, dataFolder()))));

export async function runSuites(folder: URL = dataFolder()): Promise<readonly SuiteResult[]> {
  const results: SuiteResult[] = [];
  for (const { name, source, data, checks } of SUITES) {
    if (!existsSync(fileURLToPath(new URL(data, folder)))) results.push({ name, source, tried: null, failures: [] });
    else {
      const all = checks(new URL(data, folder));
      const failures = [];
      for (const check of all) failures.push(...(await failureOf(check)));
      results.push({ name, source, tried: all.length, failures });
    }
  }
  return results;
}

async function failureOf({ name, run }: Check): Promise<readonly { readonly name: string; readonly why: string }[]> {
  try {
    const why = await run();
    return why === null ? [] : [{ name, why }];
  } catch (error) {
    return [{ name, why: String(error) }];
  }
}
