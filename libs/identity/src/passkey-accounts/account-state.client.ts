import { createRequire } from 'node:module';
import { Injectable, Optional } from '@nestjs/common';
import type * as Ethers from 'ethers';
import { type AccountConfig, JsonRpc, type Rpc, type RpcCall, type RpcResult } from '#chain';
import { EngineUnavailable } from '#kernel';
import { type AccountState, firstState } from './account-keys.client.js';

const VIEWS = [
  'function keyCount() view returns (uint8)',
  'function hasKey(bytes32) view returns (bool)',
  'function removableAt(bytes32) view returns (uint256)',
  'function isApprovedForAll(address, address) view returns (bool)',
];

/** Loaded by the first request for an account. */
const require = createRequire(import.meta.url);
const views = (): Ethers.Interface => {
  const { Interface } = require('ethers') as typeof Ethers;
  return new Interface(VIEWS);
};

/** What the chain says about accounts of passkeys now. @throws EngineUnavailable('chain') */
@Injectable()
export class AccountStateClient {
  /** Absent in commands. */
  constructor(@Optional() private readonly rpc?: JsonRpc) {}

  state(address: string, config: AccountConfig, keyIds: readonly string[]): Promise<AccountState> {
    return this.pinned(async (rpc) => {
      if ((await rpc.call<string>('eth_getCode', [address, 'latest'])) === '0x') return firstState(config, keyIds);
      const codec = views();
      const asked = keyIds.flatMap((keyId) => [view(codec, address, 'hasKey', [keyId]), view(codec, address, 'removableAt', [keyId])]);
      const [count, ...answers] = (await rpc.batch([view(codec, address, 'keyCount', []), ...asked])).map(wordOf);
      const states = keyIds.map((keyId, i) => {
        const [signs, removable] = [answers[2 * i]!, answers[2 * i + 1]!];
        return [keyId, { signs: signs === 1n, removableAt: removable === 0n ? null : new Date(Number(removable) * 1_000) }] as const;
      });
      return { deployed: true, keyCount: Number(count), keys: new Map(states) };
    });
  }

  /** Those of the addresses that the holder has approved for all its lots (`setApprovalForAll`). */
  approved(contract: string, holder: string, addresses: readonly string[]): Promise<ReadonlySet<string>> {
    return this.pinned(async (rpc) => {
      const codec = views();
      const answers = await rpc.batch(addresses.map((address) => view(codec, contract, 'isApprovedForAll', [holder, address])));
      return new Set(addresses.filter((_, i) => wordOf(answers[i]!) === 1n));
    });
  }

  private pinned<T>(work: (rpc: Rpc) => Promise<T>): Promise<T> {
    if (!this.rpc) throw new EngineUnavailable('chain');
    return this.rpc.pinned(work);
  }
}

const view = (codec: Ethers.Interface, to: string, name: string, args: readonly unknown[]): RpcCall => ({
  method: 'eth_call',
  params: [{ to, data: codec.encodeFunctionData(name, args) }, 'latest'],
});

function wordOf(answer: RpcResult): bigint {
  if (!answer.ok) throw answer.error;
  return BigInt(answer.value as string);
}
