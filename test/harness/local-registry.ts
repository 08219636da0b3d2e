import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** A registry of the installed packages, so that npm installs without a network: those that are given, and what they need. */
export class LocalRegistry {
  private readonly folders = new Map<string, Map<string, string>>();

  private constructor(private readonly server: Server) {}

  static async start(names: readonly string[]): Promise<LocalRegistry> {
    const server = createServer();
    const registry = new LocalRegistry(server);
    for (const name of names) registry.add(name, process.cwd());
    server.on('request', (request, response) => {
      const [path, version] = decodeURIComponent(request.url ?? '')
        .slice(1)
        .split('/-/');
      const folder = version === undefined ? undefined : registry.folders.get(path!)?.get(version);
      if (folder) response.end(tarballOf(folder));
      else if (registry.folders.has(path!)) response.end(JSON.stringify(registry.documentOf(path!)));
      else response.writeHead(404).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return registry;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** @param from the folder of the package that needs it */
  private add(name: string, from: string): void {
    const folder = installed(name, from);
    const { version, dependencies = {} } = manifestOf(folder);
    const versions = this.folders.get(name) ?? new Map<string, string>();
    if (versions.has(version)) return;
    this.folders.set(name, versions.set(version, folder));
    for (const dependency of Object.keys(dependencies)) this.add(dependency, folder);
  }

  private documentOf(name: string): object {
    const versions = [...this.folders.get(name)!].map(([version, folder]) => {
      const manifest = manifestOf(folder);
      // What this project overrides has another version than the package asks for.
      const dependencies = Object.fromEntries(
        Object.keys(manifest.dependencies ?? {}).map((one) => [one, manifestOf(installed(one, folder)).version]),
      );
      return [version, { ...manifest, dependencies, dist: { tarball: `${this.url}${name}/-/${version}` } }] as const;
    });
    return { name, 'dist-tags': { latest: versions.at(-1)![0] }, versions: Object.fromEntries(versions) };
  }
}

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** As Node resolves it: in the nearest `node_modules` upwards. */
function installed(name: string, from: string): string {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, 'node_modules', name);
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (at === dirname(at)) throw new Error(`${name} is not installed`);
  }
}

const tarballOf = (folder: string): Buffer =>
  execFileSync('tar', ['-czf', '-', '--exclude=./node_modules', '--transform=s,^\\.,package,', '-C', folder, '.'], { maxBuffer: 1 << 28 });
