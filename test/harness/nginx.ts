import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PLACES = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/sbin/nginx'];

/** @returns null where none is installed */
export const findNginx = (): string | null => PLACES.find(existsSync) ?? null;

/** Starts it with a piece of configuration that belongs into `http`, in a folder of its own. */
export function startNginx(program: string, folder: string, http: string): ChildProcess {
  mkdirSync(folder, { recursive: true });
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder};`).join(' ');
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;\nevents {}\nhttp { access_log off; ${paths}\n${http}\n}\n`,
  );
  return spawn(program, ['-e', join(folder, 'error.log'), '-p', folder, '-c', file], { stdio: 'ignore' });
}
