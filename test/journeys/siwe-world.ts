import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonRpc } from '#chain';
import { checksumAddress } from '#kernel';
import type { IdentityWorld } from './identity-world.js';

/** What sign-in tests need in addition to the identity world: the bare nonce, and contract wallets on a real chain. */
export const FreshIdentity = {
  async nonce(world: IdentityWorld, accept = '*/*'): Promise<{ readonly text: string; readonly type: string }> {
    const { port } = world.app.getHttpServer().address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/api/v2/auth/siwe/nonce`, { headers: { accept } });
    return { text: await answer.text(), type: answer.headers.get('content-type') ?? '' };
  },

  /** A wallet that takes, for `isValidSignature(hash, signature)`, the 65 bytes of its owner's key. */
  deployWallet(rpc: JsonRpc, owner: string): Promise<string> {
    // Memory: the hash at 0, v (the signature's last byte) at 32, r at 64, s at 96; then ecrecover of them to 128.
    const recover = '60043560005260a43560001a602052606435604052608435606052602060806080600060015afa50';
    const answer = `60805173${owner.slice(2).toLowerCase()}14631626ba7e60e01b0260005260206000f3`; // the magic value, or zero
    return this.deploy(rpc, recover + answer);
  },

  /** @param runtime code in hex @returns its EIP-55 address */
  async deploy(rpc: JsonRpc, runtime: string): Promise<string> {
    const length = (runtime.length / 2).toString(16).padStart(2, '0');
    const [from] = await rpc.call<string[]>('eth_accounts', []);
    const hash = await rpc.call<string>('eth_sendTransaction', [{ from, data: `0x60${length}8060093d393df3${runtime}` }]);
    for (;;) {
      const receipt = await rpc.call<{ contractAddress: string } | null>('eth_getTransactionReceipt', [hash]);
      if (receipt) return checksumAddress(receipt.contractAddress);
      await sleep(20);
    }
  },
};
