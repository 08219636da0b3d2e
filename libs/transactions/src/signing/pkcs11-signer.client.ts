import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { computeAddress, recoverAddress } from 'ethers';
import { SponsorSigner, type TransactionSignature, lowS } from './sponsor-signer.js';

/** A key on secp256k1 in a PKCS#11 token. */
export interface Pkcs11Key {
  /** Path of the token's library. */
  readonly module: string;
  readonly token: string;
  readonly label: string;
  readonly pin: string;
}

const TOOL = 'pkcs11-tool';
const PATIENCE_MS = 20_000;
/** The last 65 bytes of the point: 04, x, y. */
const POINT_BYTES = 65;

/**
 * A key that never leaves its token. OpenSC's pkcs11-tool talks to it, in a process of its own for each signature: a fault in a vendor's
 * library ends that process and not this one (docs/adr/0028-a-sponsor-pays.md).
 */
export class Pkcs11Signer extends SponsorSigner {
  private known: Promise<string> | null = null;

  constructor(private readonly key: Pkcs11Key) {
    super();
  }

  override address(): Promise<string> {
    this.known ??= this.readAddress().catch((error: unknown) => {
      this.known = null;
      throw error;
    });
    return this.known;
  }

  override async sign(digest: string): Promise<TransactionSignature> {
    const address = await this.address();
    const signature = await this.run(['--sign', '--mechanism', 'ECDSA'], Buffer.from(digest.slice(2), 'hex'));
    if (signature.length !== 64) throw new Error(`The PKCS#11 token gave a signature of ${signature.length} bytes instead of 64.`);
    const r = `0x${signature.subarray(0, 32).toString('hex')}`;
    const s = `0x${lowS(BigInt(`0x${signature.subarray(32).toString('hex')}`))
      .toString(16)
      .padStart(64, '0')}`;
    for (const yParity of [0, 1] as const) if (recoverAddress(digest, { r, s, yParity }) === address) return { r, s, yParity };
    throw new Error('The PKCS#11 token signed with another key than the one that it shows.');
  }

  private async readAddress(): Promise<string> {
    const key = await this.run(['--read-object', '--type', 'pubkey']);
    const point = key.subarray(-POINT_BYTES);
    if (point[0] !== 4) throw new Error(`The key ${this.key.label} in the PKCS#11 token is no public key on secp256k1.`);
    return computeAddress(`0x${point.toString('hex')}`);
  }

  /** Files, since the tool writes its own words to its output. The PIN is in the environment: everybody sees arguments. */
  private async run(what: readonly string[], input?: Buffer): Promise<Buffer> {
    const { module, token, label, pin } = this.key;
    const folder = await mkdtemp(join(tmpdir(), 'sponsor-'));
    try {
      const [from, to] = [join(folder, 'in'), join(folder, 'out')];
      if (input) await writeFile(from, input);
      const where = ['--module', module, '--token-label', token, '--label', label, '--login', '--pin', 'env:SPONSOR_PKCS11_PIN'];
      await this.started([...where, ...what, ...(input ? ['--input-file', from] : []), '--output-file', to], pin);
      return await readFile(to);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  private started(args: readonly string[], pin: string): Promise<void> {
    const env = { ...process.env, SPONSOR_PKCS11_PIN: pin };
    return new Promise((resolve, reject) => {
      execFile(TOOL, args, { env, timeout: PATIENCE_MS }, (error, _out, said) => {
        if (!error) resolve();
        else if ((error as NodeJS.ErrnoException).code === 'ENOENT')
          reject(new Error(`${TOOL} is not installed: SPONSOR_PKCS11_MODULE needs it (OpenSC).`));
        else reject(new Error(`The PKCS#11 token refused: ${said.trim().split('\n').at(-1) ?? error.message}`));
      });
    });
  }
}
