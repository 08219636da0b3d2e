import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceSecretFile } from '../../../runtime/src/index.js';

interface DemoPerson {
  readonly email: string;
  readonly password: string;
  readonly privateKey: string;
}

export interface DemoActor extends DemoPerson {
  readonly address: string;
  readonly orgId: string;
}

export interface DemoTenant {
  readonly slug: string;
  readonly contract: string;
  readonly admin: DemoPerson;
  readonly actors: Readonly<Record<string, DemoActor>>;
}

/** `demo.json` in the data folder: the content of the start screen, for programs. It has only test keys, which are worthless. */
export interface DemoFile {
  readonly baseUrl: string;
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly tenants: readonly DemoTenant[];
}

const pathIn = (dataDir: string): string => join(dataDir, 'demo.json');

export function readDemoFile(dataDir: string): DemoFile | null {
  try {
    return JSON.parse(readFileSync(pathIn(dataDir), 'utf8')) as DemoFile;
  } catch {
    return null;
  }
}

export function writeDemoFile(dataDir: string, demo: DemoFile): void {
  replaceSecretFile(pathIn(dataDir), `${JSON.stringify(demo, null, 2)}\n`);
}
