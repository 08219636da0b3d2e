import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freezeProcess } from './freeze-process.js';
import { AnvilProcess } from '../node/anvil-process.js';

interface TestAnvilOptions {
  readonly chainId?: number;
  readonly port?: number;
  readonly genesisTimestamp?: number;
  /** Only for tests of reorgs: the node that ships keeps no history, and cannot make one. */
  readonly canReorg?: boolean;
}

/** An anvil for one test file, set as the service sets its own. It leaves no files behind. */
export async function startTestAnvil(options: TestAnvilOptions = {}): Promise<TestAnvil> {
  const folder = await mkdtemp(join(tmpdir(), 'anvil-'));
  const start = (port: number | null): Promise<AnvilProcess> =>
    AnvilProcess.start({
      chainId: options.chainId ?? 31_337,
      port,
      cachePath: folder,
      genesisTimestamp: options.genesisTimestamp ?? Math.floor(Date.now() / 1_000),
      prune: !(options.canReorg ?? false),
    });
  return new TestAnvil(await start(options.port ?? null), folder, start);
}

export class TestAnvil {
  private readonly endWithUs = (): void => {
    process.kill(this.anvil.pid, 'SIGKILL');
  };

  constructor(
    private anvil: AnvilProcess,
    private readonly folder: string,
    private readonly start: (port: number | null) => Promise<AnvilProcess>,
  ) {
    process.once('exit', this.endWithUs);
  }

  get url(): string {
    return this.anvil.url;
  }

  /** A new chain on the same port, like a restarted development node. */
  async forget(): Promise<void> {
    const { port } = this.anvil;
    await this.anvil.kill();
    this.anvil = await this.start(port);
  }

  /** Stops answering without closing its connections, until `thaw`. */
  freeze(): void {
    freezeProcess(this.anvil.pid);
  }

  thaw(): void {
    process.kill(this.anvil.pid, 'SIGCONT');
  }

  async stop(): Promise<void> {
    process.off('exit', this.endWithUs);
    await this.anvil.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}
