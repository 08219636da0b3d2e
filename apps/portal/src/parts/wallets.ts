/** A whole address. */
export const isWalletAddress = (text: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(text);

/** The wallets of those who are called as was typed, in any case. */
export function walletsNamed(known: readonly { readonly name: string; readonly address: string }[], typed: string): readonly string[] {
  const sought = typed.trim().toLowerCase();
  return known.filter(({ name }) => name.trim().toLowerCase() === sought).map(({ address }) => address);
}
