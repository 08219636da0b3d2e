import { Eip1193Wallet, type Eip1193Provider, type MessageSigner, Sender, type Wallet } from '#client';
import { type Loaded, useLoad } from './load';
import { api, me } from './session';
import { t } from './language';

export interface About {
  readonly chainId: number;
  /** A local chain: its accounts have publicly known keys, which this page may sign with. */
  readonly demoWallet: boolean;
  /** Of a local chain, for its demo; elsewhere the tenant says it. */
  readonly rpcUrl: string | null;
}

export const useAbout = (): Loaded<About> => useLoad('about', aboutService);

/** The first account of a local chain owns the registry of its demo. */
export async function ownerWallet(): Promise<Wallet> {
  const [{ demoAccountAt }, { rpcUrl }] = await Promise.all([import('./demo-accounts'), aboutService()]);
  if (!rpcUrl) throw new Error(t('The service has no public RPC address.'));
  return new Sender(rpcUrl, demoAccountAt(0));
}

let about: Promise<About> | null = null;
export function aboutService(): Promise<About> {
  about ??= fetch('/portal/about.json').then((answer) => answer.json() as Promise<About>);
  about.catch(() => {
    about = null;
  });
  return about;
}

export const browserWallet = (): Eip1193Provider | null => (window as { ethereum?: Eip1193Provider }).ethereum ?? null;

export const connectBrowserWallet = (address?: string): Promise<Eip1193Wallet> => Eip1193Wallet.connect(browserWallet()!, address);

/** Signs messages for this address: the wallet of the browser, or in a local chain's demo an account that this page knows. */
export async function signerOf(address: string): Promise<MessageSigner> {
  const { demoWallet } = await aboutService();
  const account = demoWallet ? (await import('./demo-accounts')).demoAccountOf(address) : null;
  if (account) return account;
  if (!browserWallet()) throw new Error(t('This browser has no wallet. Open this page where {address} can sign.', { address }));
  return connectBrowserWallet(address);
}

/** An account of the local chain's publicly known phrase. */
export async function demoAccount(index: number): Promise<MessageSigner> {
  const { demoAccountAt } = await import('./demo-accounts');
  return demoAccountAt(index);
}

/**
 * The wallet that the signed-in person is known by: of the browser, or in a local chain's demo one that signs in this page.
 * @throws Error with what to do about it
 */
export async function walletOf(kind: 'demo' | 'browser'): Promise<Wallet> {
  const address = me.value?.wallet;
  if (!address)
    throw new Error(
      t('Your membership has no wallet. An administrator can propose one under Administration; you confirm it on the home page.'),
    );
  if (kind === 'browser') return connectBrowserWallet(address);
  const [{ demoAccountOf }, { rpcUrl }] = await Promise.all([
    import('./demo-accounts'),
    api().get<{ readonly rpcUrl: string | null }>('/api/v1/chain'),
  ]);
  const account = demoAccountOf(address);
  if (!account) throw new Error(t('{address} is not an account of the local chain. Sign with your own wallet.', { address }));
  if (!rpcUrl) throw new Error(t('The service has no public RPC address.'));
  return new Sender(rpcUrl, account);
}
