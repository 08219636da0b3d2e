import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { type DemoFile, readDemoFile } from '../../apps/cli/src/demo/demo-file.js';
import { PATIENCE_MS, eventually } from './eventually.js';
import { NO_LIMITS } from './no-limits.js';

/** The real program on its embedded engines, as `npm start` runs it. */
export class Program {
  private child: ChildProcess | null = null;
  /** Everything that the last launch wrote. */
  said = '';
  constructor(
    readonly folder: string,
    readonly port: number,
  ) {}

  launch(): void {
    this.said = '';
    const env = {
      ...process.env,
      ...NO_LIMITS,
      DATA_DIR: this.folder,
      PORT: String(this.port),
      LOG_LEVEL: 'warn',
      DATABASE_TIMEOUT_MS: '5000',
      WEBHOOK_RETRY_DELAYS_MS: '300,600,1200',
    };
    this.child = spawn(process.execPath, [resolve('dist/apps/api/src/main.js')], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout!, this.child.stderr!]) stream.on('data', (chunk: Buffer) => (this.said += chunk.toString()));
  }

  /** Resolves when the start screen is shown. */
  async ready(): Promise<DemoFile> {
    await eventually(
      () => `the start screen of ${this.folder}; it said: ${this.said}`,
      () => this.said.includes('Ctrl-C stops it'),
      { withinMs: 4 * PATIENCE_MS, everyMs: 50 },
    );
    return readDemoFile(this.folder)!;
  }

  /** Waits for the end. */
  async ended(): Promise<{ code: number | null; said: string }> {
    const [code] =
      this.child!.exitCode === null && this.child!.signalCode === null
        ? ((await once(this.child!, 'close')) as [number | null])
        : [this.child!.exitCode];
    return { code, said: this.said };
  }

  async interrupt(): Promise<number | null> {
    this.child!.kill('SIGINT');
    return (await this.ended()).code;
  }

  async kill(): Promise<void> {
    this.child!.kill('SIGKILL');
    await this.ended();
  }

  /** Processes of this folder's engines. */
  engines(name: 'anvil' | 'postgres'): number[] {
    const match = name === 'anvil' ? join(this.folder, 'chain') : join(this.folder, 'postgres');
    return processes()
      .filter(({ args }) => args.includes(match) && args.includes(name) && !args.includes('unshare'))
      .map(({ pid }) => pid);
  }

  /** The database server and the process of each of its connections. */
  database(): number[] {
    const servers = this.engines('postgres');
    return [
      ...servers,
      ...processes()
        .filter(({ parent }) => servers.includes(parent))
        .map(({ pid }) => pid),
    ];
  }
}

function processes(): { readonly pid: number; readonly parent: number; readonly args: string }[] {
  return execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .flatMap((m) => (m ? [{ pid: Number(m[1]), parent: Number(m[2]), args: m[3]! }] : []));
}
