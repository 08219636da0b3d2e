// The servers that the engine suites use in addition to the embedded ones: PostgreSQL from the distribution, Redis and PgBouncer.
// They are used if they are installed. Only CI, as root, installs them; nothing is installed on a developer's machine.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** @returns {{ env: Record<string, string>, missing: string[] }} settings for the suites, and what will be skipped */
export function findScaleEngines(say) {
  if (process.env.CI === 'true' && process.getuid?.() === 0 && onPath('apt-get')) installInCi(say);
  const env = {};
  const missing = [];
  const postgres = process.env.TEST_POSTGRES_BIN ?? distributionPostgres();
  if (postgres) env.TEST_POSTGRES_BIN = postgres;
  else missing.push('PostgreSQL of the distribution: install it, or set TEST_POSTGRES_BIN to the folder of its `postgres`');
  const redis = process.env.TEST_REDIS_URL || process.env.TEST_REDIS_BIN || onPath('redis-server');
  if (redis && !process.env.TEST_REDIS_URL) env.TEST_REDIS_BIN = redis;
  else if (!redis) missing.push('Redis: install redis-server, or set TEST_REDIS_URL');
  const pooler = process.env.TEST_PGBOUNCER_BIN || onPath('pgbouncer');
  if (pooler) env.TEST_PGBOUNCER_BIN = pooler;
  else missing.push('PgBouncer: install pgbouncer, or set TEST_PGBOUNCER_BIN');
  return { env, missing };
}

function installInCi(say) {
  const programs = ['redis-server', 'pgbouncer'].filter((program) => !onPath(program));
  const wanted = [...(distributionPostgres() ? [] : ['postgresql']), ...programs];
  if (wanted.length === 0) return;
  say(`CI: installing ${wanted.join(', ')}`);
  const quiet = { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' } };
  spawnSync('apt-get', ['-qq', 'update'], quiet);
  spawnSync('apt-get', ['-qq', 'install', '-y', '--no-install-recommends', ...wanted], quiet);
}

function distributionPostgres() {
  const base = '/usr/lib/postgresql';
  const versions = existsSync(base) ? readdirSync(base).filter((v) => existsSync(join(base, v, 'bin/postgres'))) : [];
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0];
  return newest && join(base, newest, 'bin');
}

const onPath = (program) => {
  const found = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' });
  return found.status === 0 ? found.stdout.trim() : '';
};
