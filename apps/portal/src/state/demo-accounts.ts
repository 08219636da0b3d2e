import { HDNodeWallet, Mnemonic } from 'ethers';

/** The publicly known phrase of local EVM nodes: its accounts are funded there and worth nothing anywhere. */
const PHRASE = 'test test test test test test test test test test test junk';
/** Those of the demo and of some sandboxes. */
const SEARCHED_ACCOUNTS = 100;
let root: HDNodeWallet | null = null;

export function demoAccountAt(index: number): HDNodeWallet {
  root ??= HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(PHRASE), "m/44'/60'/0'/0");
  return root.deriveChild(index);
}

export function demoAccountOf(address: string): HDNodeWallet | null {
  for (let index = 0; index < SEARCHED_ACCOUNTS; index++) {
    const account = demoAccountAt(index);
    if (account.address === address) return account;
  }
  return null;
}
