import { setTimeout as pause } from 'node:timers/promises';
import { Wallet } from 'ethers';
import { type PreparedTx, Sender, TraceabilityClient } from '#client';
import type { DemoFile, DemoTenant } from './demo-file.js';

/** A company of the demo, with its own login and wallet. */
export class Company {
  private constructor(
    readonly name: string,
    readonly address: string,
    readonly api: TraceabilityClient,
    readonly sender: Sender,
  ) {}

  static async join(demo: DemoFile, tenant: DemoTenant, key: string, name: string): Promise<Company> {
    const { email, password, privateKey, address } = tenant.actors[key]!;
    const api = await TraceabilityClient.login(demo.baseUrl, email, password, tenant.slug);
    return new Company(name, address, api, new Sender(demo.rpcUrl, new Wallet(privateKey)));
  }

  /** Signs, sends, tracks, and waits until the service has confirmed the transaction. */
  async land(preparedTx: PreparedTx, type: string): Promise<void> {
    const { transactionHash } = await this.sender.sendAndWait(preparedTx);
    const { trackingId } = await this.api.tx.track(transactionHash, type);
    for (const deadline = Date.now() + 240_000; ; await pause(100)) {
      const { status, error } = await this.api.tx.get(trackingId);
      if (status === 'confirmed') return;
      // Replaced: this hash will probably never be mined, and waiting for it would not end.
      if (status === 'failed' || status === 'replaced' || Date.now() > deadline)
        throw new Error(`transaction ${transactionHash} is ${status}: ${String(error)}`);
    }
  }
}
