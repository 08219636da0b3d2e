import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Config } from '#config';
import { IdentitySettings } from '#identity';
import { type DemoLogins, readLogins, withAddresses } from './demo-logins.js';
import type { RunningService } from './service.js';

/** Only the embedded chain has a demo, because its accounts are worthless. DEMO=false turns it off. */
export const wantsDemo = (config: Config, env: NodeJS.ProcessEnv): boolean =>
  config.role === 'all' && config.chain.node.kind === 'embedded' && config.database.kind === 'embedded' && env.DEMO !== 'false';

/** Runs the seed in a process of its own: it has the keys of the local chain's dev accounts, and this process has none. It ends with this one. */
export async function seedDemo(
  { app, config, baseUrl, engines }: RunningService,
  say: (line: string) => void,
  stopping: AbortSignal,
): Promise<DemoLogins | null> {
  const rpcUrl = engines.chain.node.urls[0]!;
  const there = readLogins(config.dataDir);
  // The file is written when everything in it exists; the addresses may be others at each start.
  if (there) {
    const origin = app.get(IdentitySettings, { strict: false }).passkeys.origins[0] ?? null;
    return withAddresses(config.dataDir, there, { baseUrl, rpcUrl, origin });
  }
  say('Creating the demo tenants');
  const cli = fileURLToPath(new URL('../../cli/src/main.js', import.meta.url));
  const env = { ...process.env, DATA_DIR: resolve(config.dataDir), NODE_OPTIONS: '' };
  const seed = spawn(process.execPath, ['--enable-source-maps', cli, 'seed', '--base-url', baseUrl, '--rpc-url', rpcUrl], {
    // By the channel it learns that this process was killed: two seeds at a time would spend each other's nonces.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env,
  });
  stopping.addEventListener('abort', () => seed.kill(), { once: true });
  createInterface({ input: seed.stdout! }).on('line', (line) => say(`  ${line}`));
  const [code] = (await once(seed, 'close')) as [number | null];
  if (code !== 0 && !stopping.aborted) say('The demo could not be created; the service runs without it. The next start tries again.');
  return readLogins(config.dataDir);
}

export function demoScreen({ baseUrl, tenants }: DemoLogins): readonly string[] {
  const [first] = tenants;
  if (!first) return [];
  return [
    'Demo logins (tenant · e-mail · password; all other logins are in demo.json in the data folder)',
    ...tenants.map(({ slug, admin }) => `  ${slug.padEnd(6)} ${admin.email}   ${admin.password}`),
    '',
    'Try it:',
    `  curl -s ${baseUrl}/api/v2/auth/login -H 'content-type: application/json' -d '${JSON.stringify({ email: first.admin.email, password: first.admin.password })}'`,
    '  npm run demo      (in another terminal: plays the value chains)',
    '',
  ];
}
