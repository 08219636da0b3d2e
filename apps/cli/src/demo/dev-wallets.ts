import { HDNodeWallet, Mnemonic, type Wallet } from 'ethers';

/** The publicly known phrase of local EVM nodes: its accounts are funded there at genesis and worth nothing anywhere. */
const PHRASE = 'test test test test test test test test test test test junk';
const root = HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(PHRASE), "m/44'/60'/0'/0");

export type DevWallet = HDNodeWallet | Wallet;

/** The account that owns the registry of a local chain. */
export const operatorWallet = (): DevWallet => root.deriveChild(0);

/** Wallets of demo people, the same at every start. */
export const demoWallet = (index: number): DevWallet => root.deriveChild(1 + index);
