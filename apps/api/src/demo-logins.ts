import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The part of the demo file that this process uses. It never uses the keys in it. */
export interface DemoLogins {
  readonly baseUrl: string;
  readonly rpcUrl: string;
  readonly tenants: readonly { readonly slug: string; readonly admin: { readonly email: string; readonly password: string } }[];
}

/** @returns null when no demo was created */
export function readLogins(dataDir: string): DemoLogins | null {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as DemoLogins;
  } catch {
    return null;
  }
}
