import { Injectable, Optional } from '@nestjs/common';
import { type AccountConfig, JsonRpc, passkeyAccount, type Rpc, type RpcCall, type RpcResult, tenantLots } from '#chain';
import { EngineUnavailable } from '#kernel';
import { type AccountState, firstState } from './account-keys.client.js';

/** What the chain says about accounts of passkeys now. @throws EngineUnavailable('chain') */
@Injectable()
export class AccountStateClient {
  /** Absent in commands. */
  constructor(@Optional() private readonly rpc?: JsonRpc) {}

  state(address: string, config: AccountConfig, keyIds: readonly string[]): Promise<AccountState> {
    return this.pinned(async (rpc) => {
      if ((await rpc.call<string>('eth_getCode', [address, 'latest'])) === '0x') return firstState(config, keyIds);
      const ask = (name: string, args: readonly unknown[]): RpcCall => view(address, passkeyAccount.encodeView(name, args));
      const asked = keyIds.flatMap((keyId) => [ask('hasKey', [keyId]), ask('removableAt', [keyId])]);
      const [count, ...answers] = (await rpc.batch([ask('keyCount', []), ...asked])).map(wordOf);
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
      const ask = (address: string): RpcCall => view(contract, tenantLots.encodeView('isApprovedForAll', [holder, address]));
      const answers = await rpc.batch(addresses.map(ask));
      return new Set(addresses.filter((_, i) => wordOf(answers[i]!) === 1n));
    });
  }

  private pinned<T>(work: (rpc: Rpc) => Promise<T>): Promise<T> {
    if (!this.rpc) throw new EngineUnavailable('chain');
    return this.rpc.pinned(work);
  }
}

const view = (to: string, data: string): RpcCall => ({ method: 'eth_call', params: [{ to, data }, 'latest'] });

function wordOf(answer: RpcResult): bigint {
  if (!answer.ok) throw answer.error;
  return BigInt(answer.value as string);
}
