import { getAddress } from 'ethers';

/** An address as EIP-55 writes it. A file of its own, so that a page loads its hash function only when a wallet signs in. */
export const checksummed = (address: string): string => getAddress(address);
