import { getAddress } from 'ethers';

/** The EIP-55 form of an address. In a separate file, so that a page loads the hash function only when a wallet signs in. */
export const checksummed = (address: string): string => getAddress(address);
