import { SiweMessage } from 'siwe';
import { type MessageSigner, TraceabilityClient } from '#client';
import type { World } from './world.js';

/** An EIP-4361 message for this service, signed by the wallet. */
export async function signedMessage(world: World, wallet: MessageSigner): Promise<{ message: string; signature: string }> {
  const nonce = await (await fetch(`${world.baseUrl}/api/v2/auth/siwe/nonce`)).text();
  const domain = world.service.config.siwe.domains[0]!;
  const { chainId } = world.demo;
  const fields = { domain, address: wallet.address, uri: `https://${domain}/`, version: '1', chainId, nonce };
  const message = new SiweMessage({ ...fields, issuedAt: new Date().toISOString() }).prepareMessage();
  return { message, signature: await wallet.signMessage(message) };
}

/** What a member does when an administrator has proposed a wallet. */
export async function confirmWallet(
  world: World,
  { email, password, tenantId }: { readonly email: string; readonly password: string; readonly tenantId?: string },
  wallet: MessageSigner,
): Promise<void> {
  const them = await TraceabilityClient.login(world.baseUrl, email, password, tenantId);
  await them.post('/api/v2/auth/wallet', await signedMessage(world, wallet));
}
