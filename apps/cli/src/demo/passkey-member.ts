import type { INestApplicationContext } from '@nestjs/common';
import { type Json, TraceabilityClient } from '#client';
import { AddMember, CreateUser } from '#identity';
import type { DemoActor } from './demo-file.js';
import { SoftwarePasskey, passkeyOf } from './software-passkey.js';

/** The company of the demo in which nobody has a wallet, a private key or coins. */
const WITHOUT_WALLET = { slug: 'seafood', key: 'market' } as const;

/** Where no page of the service can ask for passkeys, it has a wallet like all others. */
export const isWithoutWallet = ({ passkeys }: Pick<Seeding, 'passkeys'>, slug: string, key: string): boolean =>
  passkeys.origins.length > 0 && slug === WITHOUT_WALLET.slug && key === WITHOUT_WALLET.key;

interface Seeding {
  readonly app: INestApplicationContext;
  readonly baseUrl: string;
  readonly passkeys: { readonly rpId: string; readonly origins: readonly string[] };
  /** 32 bytes, the same at every seed of this service. */
  readonly secretOf: (what: string) => Buffer;
}

export const passwordOf = (secretOf: Seeding['secretOf'], email: string): string =>
  secretOf(`demo password of ${email}`).toString('base64url').slice(0, 16);

interface Place {
  readonly tenantId: string;
  readonly slug: string;
  readonly orgId: string;
}

/** A member whose passkey, which this program has in the place of a device, makes an account. A seed that was interrupted continues. */
export async function ensurePasskeyMember(
  { app, baseUrl, passkeys: { rpId, origins }, secretOf }: Seeding,
  { tenantId, slug, orgId }: Place,
  { email, name }: { readonly email: string; readonly name: string },
): Promise<Omit<DemoActor, 'orgId'>> {
  const [users, members] = [app.get(CreateUser), app.get(AddMember)];
  const password = passwordOf(secretOf, email);
  const privateKey = `0x${secretOf(`demo passkey of ${email}`).toString('hex')}`;
  const device = new SoftwarePasskey(secretOf(`demo credential of ${email}`).subarray(0, 16).toString('base64url'), passkeyOf(privateKey));
  const user = (await users.find(email)) ?? (await users.create({ email, name, password }));
  const login = (): Promise<TraceabilityClient> => TraceabilityClient.login(baseUrl, email, password, slug);
  // Only who is no member yet: adding again would take the account away.
  const api = await login().catch(async () => {
    await members.add(tenantId, user.id, { roles: ['OPERATOR'], wallet: null, orgId });
    return login();
  });
  const { data: known } = await api.get<{ readonly data: readonly Json[] }>('/api/v2/auth/passkeys');
  if (known.length === 0) {
    const { publicKey } = await api.post<{ readonly publicKey: { readonly challenge: string } }>(
      '/api/v2/auth/passkeys/registration/options',
      { password },
    );
    const response = device.create(publicKey, { rpId, origin: origins[0]! });
    await api.post('/api/v2/auth/passkeys/registration/verify', { response, name: 'Phone of the demo' });
  }
  const { address } = await api.get<{ readonly address: string }>('/api/v2/auth/account');
  return { email, password, privateKey, address, passkey: { id: device.id, rpId } };
}
