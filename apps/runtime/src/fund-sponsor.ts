import type { JsonRpc } from '#chain';
import type { SponsorConfig } from '#config';
import { signerOf } from '#transactions';

const ETHER = 10n ** 18n;
const GIVEN = 100n * ETHER;

/**
 * On the development node that this process started, an account of the node pays the sponsor, so that calls of passkeys are sent from the first
 * start on. No key is needed: the node has that of its own account.
 * @throws EngineUnavailable('chain')
 */
export async function fundSponsor(rpc: JsonRpc, { signer }: SponsorConfig, say: (line: string) => void): Promise<void> {
  // A token that is not plugged in must not keep the service from starting; `doctor` says that it is missing.
  const to = await signerOf(signer)
    ?.address()
    .catch(() => undefined);
  if (to === undefined) return;
  const [balance, accounts] = [
    await rpc.call<string>('eth_getBalance', [to, 'latest']),
    await rpc.call<readonly string[]>('eth_accounts', []),
  ];
  if (BigInt(balance) >= ETHER || accounts.length === 0) return;
  await rpc.call('eth_sendTransaction', [{ from: accounts[0], to, value: `0x${GIVEN.toString(16)}` }]);
  say('Gave the sponsor coins of the development chain');
}
