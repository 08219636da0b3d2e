import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceSecretFile } from '../../runtime/src/index.js';

/** The part of the demo file that this process uses. It never uses the keys in it. */
export interface DemoLogins {
  readonly baseUrl: string;
  readonly rpcUrl: string;
  readonly origin: string | null;
  readonly tenants: readonly { readonly slug: string; readonly admin: { readonly email: string; readonly password: string } }[];
}

const fileIn = (dataDir: string): string => join(dataDir, 'demo.json');

/** @returns null when no demo was created */
export function readLogins(dataDir: string): DemoLogins | null {
  try {
    return JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as DemoLogins;
  } catch {
    return null;
  }
}

/** Writes them into the file where they are others; the rest of it stays. */
export function withAddresses(dataDir: string, demo: DemoLogins, urls: Pick<DemoLogins, 'baseUrl' | 'rpcUrl' | 'origin'>): DemoLogins {
  if (demo.baseUrl === urls.baseUrl && demo.rpcUrl === urls.rpcUrl && demo.origin === urls.origin) return demo;
  const moved = { ...demo, ...urls };
  replaceSecretFile(fileIn(dataDir), `${JSON.stringify(moved, null, 2)}\n`);
  return moved;
}
