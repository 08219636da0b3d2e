import type { PreparedTx } from './types.js';

/** The interface of a browser wallet (`window.ethereum`, EIP-1193). */
export interface Eip1193Provider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
}

/** A browser wallet: it signs and sends itself, and shows its owner what is signed. */
export class Eip1193Wallet {
  private constructor(
    private readonly provider: Eip1193Provider,
    readonly address: string,
  ) {}

  /** Asks the owner for an account. @param address the required account, if the wallet has several */
  static async connect(provider: Eip1193Provider, address?: string): Promise<Eip1193Wallet> {
    const accounts = (await provider.request({ method: 'eth_requestAccounts' })) as string[];
    const account = address === undefined ? accounts[0] : accounts.find((one) => one.toLowerCase() === address.toLowerCase());
    if (account === undefined)
      throw new Error(address ? `The wallet does not show the account ${address}.` : 'The wallet shows no account.');
    if (address !== undefined) return new Eip1193Wallet(provider, address);
    // Wallets return lower case; a sign-in message needs the EIP-55 form (EIP-4361).
    const { checksummed } = await import('./checksum.js');
    return new Eip1193Wallet(provider, checksummed(account));
  }

  async signMessage(text: string): Promise<string> {
    const hex = Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('');
    return String(await this.provider.request({ method: 'personal_sign', params: [`0x${hex}`, this.address] }));
  }

  /** @returns the transaction hash @throws the wallet's own error, 4001 when its owner declined */
  async send({ to, data, chainId, gasEstimate }: PreparedTx): Promise<string> {
    await this.provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: hex(BigInt(chainId)) }] });
    const gas = hex((BigInt(gasEstimate) * 12n) / 10n);
    return String(await this.provider.request({ method: 'eth_sendTransaction', params: [{ from: this.address, to, data, gas }] }));
  }
}

const hex = (value: bigint): string => `0x${value.toString(16)}`;
