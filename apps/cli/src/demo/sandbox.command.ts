import type { Config } from '#config';
import { ChangeTenant, CreateTenant, OPERATOR } from '#identity';
import { OperatorError } from '../../../runtime/src/index.js';
import { asOperator } from '../operator.js';
import { requireRunning } from './demo.command.js';
import { readDemoFile, walletsOf, writeDemoFile } from './demo-file.js';
import { playScenario } from './play-scenario.js';
import { SCENARIOS, readScenario } from './scenario.js';
import { seedSandbox } from './seed.js';

export interface SandboxOptions {
  readonly scenario: string;
  /** A sandbox that the new one takes the place of: nobody uses it any more. */
  readonly insteadOf?: string;
}

const SLUG = /^[a-z][a-z0-9-]{1,30}$/;

/**
 * A new sandbox tenant with the test data of a scenario. A contract forgets nothing, so a reset is a new tenant with a contract of its own;
 * no other tenant is touched but the sandbox that it takes the place of, which is suspended (docs/adr/0031-a-reset-is-a-new-sandbox.md).
 */
export async function createSandbox(
  given: Config,
  slug: string,
  { scenario, insteadOf }: SandboxOptions,
  say: (line: string) => void,
): Promise<void> {
  const demo = readDemoFile(given.dataDir);
  if (!demo)
    throw new OperatorError(`There is no demo in ${given.dataDir}: a sandbox with test data needs a local chain. Start it: npm start`);
  if (!SLUG.test(slug)) throw new OperatorError('The name of a sandbox has small letters, digits and hyphens.');
  if (!(SCENARIOS as readonly string[]).includes(scenario))
    throw new OperatorError(`There is no scenario ${scenario}. There are ${SCENARIOS.join(', ')}.`);
  await requireRunning(demo);
  await asOperator(given, async (app, config) => {
    const tenants = app.get(CreateTenant);
    const before = insteadOf === undefined ? null : await tenants.find(insteadOf);
    if (insteadOf !== undefined && before?.environment !== 'sandbox')
      throw new OperatorError(`${insteadOf} is no sandbox of this service: nothing was changed.`);
    if (demo.tenants.some((tenant) => tenant.slug === slug) || (await isForeign(tenants, slug)))
      throw new OperatorError(`There is a tenant ${slug} already. A sandbox is new: choose another name.`);
    const tenant = await seedSandbox(app, config, demo, { slug, scenario }, say);
    await playScenario(demo, tenant, readScenario(scenario), ({ number, of, text }) =>
      say(`  ${String(number).padStart(2)}/${of}  ${text}`),
    );
    // Its logins are written when everything is there: an interrupted sandbox continues under the same name.
    const others = demo.tenants.filter((one) => one.slug !== insteadOf);
    writeDemoFile(config.dataDir, {
      ...demo,
      tenants: [...others, tenant],
      wallets: walletsOf(demo) + 1 + Object.keys(tenant.actors).length,
    });
    if (insteadOf !== undefined) await app.get(ChangeTenant).suspend(insteadOf, OPERATOR, `replaced by ${slug}`);
    say(`Sandbox ${slug}: ${tenant.admin.email}   ${tenant.admin.password}`);
  });
}

/** A tenant that is no sandbox; a sandbox that was begun and not finished goes on. */
const isForeign = async (tenants: CreateTenant, slug: string): Promise<boolean> => {
  const found = await tenants.find(slug);
  return found !== null && found.environment !== 'sandbox';
};
