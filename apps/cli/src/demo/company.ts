import { setTimeout as pause } from 'node:timers/promises';
import { Wallet } from 'ethers';
import { PasskeyRelay, type PreparedTx, type RelayableCall, Sender, TraceabilityClient } from '#client';
import type { DemoActor, DemoFile, DemoTenant } from './demo-file.js';
import { SoftwarePasskey, passkeyOf } from './software-passkey.js';

const PATIENCE_MS = 240_000;

/** As the service prepares a call. */
type Prepared = Omit<RelayableCall, 'preparedTx'> & { readonly preparedTx: PreparedTx };

/** A company of the demo, with its own login, and a wallet or a passkey. */
export class Company {
  private constructor(
    readonly name: string,
    readonly address: string,
    readonly api: TraceabilityClient,
    private readonly signer: Sender | PasskeyRelay,
  ) {}

  static async join(demo: DemoFile, tenant: DemoTenant, key: string, name: string): Promise<Company> {
    const actor = tenant.actors[key]!;
    const api = await TraceabilityClient.login(demo.baseUrl, actor.email, actor.password, tenant.slug);
    return new Company(name, actor.address, api, signerOf(demo, actor, api));
  }

  /** Of a company with a wallet. */
  get sender(): Sender {
    if (this.signer instanceof Sender) return this.signer;
    throw new Error(`${this.name} has no wallet: what it signs, the sponsor of the service sends.`);
  }

  /** Signs, has it sent, and waits until the service has confirmed it. A company without a wallet needs all that was prepared. */
  async land(call: PreparedTx | Prepared, type: string): Promise<void> {
    if (this.signer instanceof Sender) return this.send('preparedTx' in call ? call.preparedTx : call, type);
    if (!('hints' in call)) throw new Error(`${this.name} has no wallet, and no name of the prepared call for a relay.`);
    await this.signer.confirm([call], { timeoutMs: PATIENCE_MS });
  }

  private async send(preparedTx: PreparedTx, type: string): Promise<void> {
    const { transactionHash } = await this.sender.sendAndWait(preparedTx);
    const { trackingId } = await this.api.tx.track(transactionHash, type);
    for (const deadline = Date.now() + PATIENCE_MS; ; await pause(100)) {
      const { status, error } = await this.api.tx.get(trackingId);
      if (status === 'confirmed') return;
      // Replaced: this hash will probably never be mined, and waiting for it would not end.
      if (status === 'failed' || status === 'replaced' || Date.now() > deadline)
        throw new Error(`transaction ${transactionHash} is ${status}: ${String(error)}`);
    }
  }
}

function signerOf(demo: DemoFile, { privateKey, passkey }: DemoActor, api: TraceabilityClient): Sender | PasskeyRelay {
  if (!passkey) return new Sender(demo.rpcUrl, new Wallet(privateKey));
  const device = new SoftwarePasskey(passkey.id, passkeyOf(privateKey));
  const page = { origin: demo.origin! };
  return new PasskeyRelay(
    api,
    ({ publicKey }) => Promise.resolve(device.get({ challenge: String(publicKey['challenge']), rpId: passkey.rpId }, page)),
    passkey.id,
  );
}
