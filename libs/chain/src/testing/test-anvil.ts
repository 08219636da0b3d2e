import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AnvilProcess } from '../node/anvil-process.js';

/** An anvil of one test file: it keeps the history unless told otherwise, so it can be reorganised, and leaves nothing behind. */
export async function startTestAnvil(
  options: { readonly chainId?: number; readonly port?: number; readonly prune?: boolean } = {},
): Promise<TestAnvil> {
  const folder = await mkdtemp(join(tmpdir(), 'anvil-'));
  const start = (port: number | null): Promise<AnvilProcess> =>
    AnvilProcess.start({
      chainId: options.chainId ?? 31_337,
      port,
      cachePath: folder,
      genesisTimestamp: Math.floor(Date.now() / 1_000),
      loadState: null,
      prune: options.prune ?? false,
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

  /** A new chain on the same port, as when somebody restarts a development node. */
  async forget(): Promise<void> {
    const { port } = this.anvil;
    await this.anvil.kill();
    this.anvil = await this.start(port);
  }

  /** Stops answering without closing its connections; `thaw` wakes it. */
  freeze(): void {
    process.kill(this.anvil.pid, 'SIGSTOP');
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
