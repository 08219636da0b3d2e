import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, configFrom } from '#config';
import { type RunningService, startService } from '../apps/api/src/service.js';
import { seedDemo } from '../apps/cli/src/demo/seed.js';
import { type DemoTenant, readDemoFile } from '../apps/cli/src/demo/demo-file.js';

export interface DemoService {
  readonly folder: string;
  readonly config: Config;
  readonly service: RunningService;
  /** The one whose scenario is rice. */
  readonly tenant: DemoTenant;
}

const noise = (): void => undefined;

/** The whole service with embedded engines and the demo tenants in a folder of its own, for as long as `run` takes. */
export async function withDemoService<T>(
  name: string,
  run: (demo: DemoService) => Promise<T>,
  env: Readonly<Record<string, string>> = {},
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), `trace-bench-${name}-`));
  try {
    const config = configFrom({
      DATA_DIR: folder,
      PORT: '0',
      LOG_LEVEL: 'silent',
      // One client is the whole load.
      TIERS: '{"sandbox":{"requestsPerMinute":1000000000,"eventsPerMonth":1000000000},"standard":{"requestsPerMinute":1000000000}}',
      ...env,
    });
    const service = await startService(config, noise);
    try {
      await seedDemo(config, { baseUrl: service.baseUrl, rpcUrl: service.engines.chain.node.urls[0]! }, noise);
      return await run({ folder, config, service, tenant: readDemoFile(folder)!.tenants[0]! });
    } finally {
      await service.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
