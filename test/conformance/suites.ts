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

export function runSuites(folder: URL = dataFolder()): readonly SuiteResult[] {
  return SUITES.map(({ name, source, data, checks }) => {
    if (!existsSync(fileURLToPath(new URL(data, folder)))) return { name, source, tried: null, failures: [] };
    const all = checks(new URL(data, folder));
    return { name, source, tried: all.length, failures: all.flatMap((check) => failureOf(check)) };
  });
}

function failureOf({ name, run }: Check): readonly { readonly name: string; readonly why: string }[] {
  try {
    const why = run();
    return why === null ? [] : [{ name, why }];
  } catch (error) {
    return [{ name, why: String(error) }];
  }
}
