import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceSecretFile } from '../../../runtime/src/index.js';

interface DemoPerson {
  readonly email: string;
  readonly password: string;
  readonly privateKey: string;
}

/** Of a company without wallets: what acts as its device. */
export interface DemoPasskey {
  /** Of the credential, base64url. */
  readonly id: string;
  readonly rpId: string;
}

export interface DemoActor extends DemoPerson {
  /** With it, `privateKey` is one of P-256, and `address` an account for which the passkey signs. */
  readonly passkey?: DemoPasskey;
  readonly address: string;
  readonly orgId: string;
}

export interface DemoTenant {
  readonly slug: string;
  /** Of a sandbox: the scenario whose test data it has; of the others their slug says it. */
  readonly scenario?: string;
  readonly contract: string;
  readonly admin: DemoPerson;
  readonly actors: Readonly<Record<string, DemoActor>>;
}

/** `demo.json` in the data folder: the content of the start screen, for programs. It has only test keys, which are worthless. */
export interface DemoFile {
  readonly baseUrl: string;
  readonly rpcUrl: string;
  /** Of the pages that ask for passkeys; null where no domain of the service can have them. */
  readonly origin: string | null;
  readonly chainId: number;
  readonly tenants: readonly DemoTenant[];
  /** How many wallets of the local chain people have or had; absent before the first sandbox. */
  readonly wallets?: number;
}

export const walletsOf = ({ wallets, tenants }: DemoFile): number =>
  wallets ?? tenants.reduce((sum, { actors }) => sum + 1 + Object.keys(actors).length, 0);

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
