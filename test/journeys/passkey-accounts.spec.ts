import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Interface, JsonRpcProvider, Wallet, ZeroHash, id as hashOf } from 'ethers';
import {
  type PasskeyAccountConfig,
  PasskeyRelay,
  PasskeySigner,
  type PreparedTx,
  type RelayableCall,
  TraceabilityClient,
  keyChange,
  rpIdHashOf,
} from '#client';
import { passkeyAccountFactoryAbi, tenantLotsAbi } from '#contracts';
import { CreateTenant, InviteMember, OPERATOR } from '#identity';
import type { Company } from '../../apps/cli/src/demo/company.js';
import { Authenticator } from '../harness/authenticator.js';
import { signedMessage } from '../harness/confirm-wallet.js';
import { eventually } from '../harness/eventually.js';
import { givePassword } from '../harness/give-password.js';
import { minedReceipt } from '../harness/mined-receipt.js';
import { World } from '../harness/world.js';
import { type Json, administrator, codeOf } from './rice-trade.js';

const DOMAIN = 'localhost';
const PASSWORD = 'correct horse battery';
const factory = new Interface(passkeyAccountFactoryAbi);
const lots = new Interface(tenantLotsAbi);

interface Person {
  readonly id: string;
  readonly email: string;
  readonly device: Authenticator;
  readonly api: TraceabilityClient;
}
interface Call {
  readonly to: string;
  readonly data: string;
}

/** People of the rice chain who were invited without a wallet, and whose first passkey made them one. */
describe('accounts of passkeys', () => {
  let world: World;
  let provider: JsonRpcProvider;
  let sender: Wallet;
  let admin: Company;
  let orgId: string;
  let wanda: Person;
  let piet: Person;

  const send = async ({ to, data }: Call): Promise<void> => {
    const sent = await sender.sendTransaction({ to, data });
    expect((await minedReceipt(provider, sent.hash)).status).toBe(1);
  };
  const ask =
    (device: Authenticator) =>
    ({ publicKey }: { readonly publicKey: Record<string, unknown> }): Promise<Json> =>
      Promise.resolve(device.get({ challenge: String(publicKey['challenge']), rpId: DOMAIN }));
  const keyOf = (device: Authenticator) => {
    const { x = '', y = '' } = device.publicKey.export({ format: 'jwk' });
    const word = (text: string): string => `0x${Buffer.from(text, 'base64url').toString('hex')}`;
    return { x: word(x), y: word(y), rpIdHash: rpIdHashOf(DOMAIN) };
  };
  const signerOf = (address: string, device: Authenticator, madeBy?: { factory: string; config: PasskeyAccountConfig }): PasskeySigner =>
    new PasskeySigner({ address, chainId: world.demo.chainId, key: keyOf(device), ...(madeBy && { madeBy }) }, ask(device));
  const sequences = new Map<string, number>();
  /** The account does these calls; somebody else sends them. */
  const perform = async (address: string, device: Authenticator, calls: readonly Call[]): Promise<void> => {
    const signer = signerOf(address, device);
    const { timestamp } = (await provider.getBlock('latest'))!;
    const name = `${address} ${device.id}`;
    const sequence = sequences.get(name) ?? 0;
    sequences.set(name, sequence + 1);
    await send({ to: address, data: await signer.signCalls(calls, { lane: 0, sequence, deadline: timestamp + 300 }) });
  };
  /** The same, sent by the sponsor. @param of the account of an organisation */
  const relay = async (
    { api }: Pick<Person, 'api'>,
    device: Authenticator,
    calls: readonly RelayableCall[],
    of?: string,
  ): Promise<void> => {
    const asked = ({ publicKey }: { readonly publicKey: Record<string, unknown> }): Promise<Json> =>
      Promise.resolve(device.get({ challenge: String(publicKey['challenge']), rpId: DOMAIN }, origin()));
    await new PasskeyRelay(api, asked, device.id, of).confirm(calls, { everyMs: 50 });
  };
  const reasonOf = (sent: Promise<unknown>): Promise<string> =>
    sent.then(
      () => 'taken',
      (problem: { body: Json }) => String(problem.body['reason']),
    );
  const account = (person: Person): Promise<Json> => person.api.get<Json>('/api/v2/auth/account');
  const madeBy = ({ deployment }: Json): { factory: string; config: PasskeyAccountConfig } => {
    // By their places: a result of ethers has methods that are called so.
    const [salt, guarded, keys] = factory.decodeFunctionData('deploy', deployment.data)[0];
    return {
      factory: deployment.to,
      config: { salt, guarded, keys: [...keys].map(([x, y, rpIdHash]: string[]) => ({ x: x!, y: y!, rpIdHash: rpIdHash! })) },
    };
  };
  const origin = (): { readonly origin: string } => ({ origin: `http://${world.service.config.siwe.domains[0]}` });
  const invited = async (email: string): Promise<Person> => {
    const { app } = world.service;
    const tenant = await app.get(CreateTenant, { strict: false }).find('rice');
    const given = { email, roles: ['OPERATOR'], orgId } as const;
    const { userId: id, invitation } = await app
      .get(InviteMember, { strict: false })
      .add(tenant!.id, { ...given, roles: ['OPERATOR'] }, OPERATOR);
    const { token } = invitation!;
    const anonymous = new TraceabilityClient(world.baseUrl);
    const { publicKey } = await anonymous.post<Json>('/api/v2/auth/invitations/passkey/options', { token });
    const device = new Authenticator();
    const response = device.create(publicKey, origin());
    const { accessToken } = await anonymous.post<Json>('/api/v2/auth/invitations/passkey/verify', { token, response, name: 'Phone' });
    return { id, email, device, api: new TraceabilityClient(world.baseUrl, { accessToken }) };
  };
  const addPasskey = async ({ api }: Pick<Person, 'api'>, password?: string): Promise<Authenticator> => {
    const { publicKey } = await api.post<Json>('/api/v2/auth/passkeys/registration/options', { ...(password && { password }) });
    const device = new Authenticator();
    await api.post('/api/v2/auth/passkeys/registration/verify', { response: device.create(publicKey, origin()), name: 'Laptop' });
    return device;
  };
  const signIn = async (signer: PasskeySigner): Promise<string> =>
    codeOf(new TraceabilityClient(world.baseUrl).post('/api/v2/auth/siwe', await signedMessage(world, signer)));

  beforeAll(async () => {
    world = await World.start();
    provider = new JsonRpcProvider(world.demo.rpcUrl, undefined, {
      staticNetwork: true,
      cacheTimeout: -1,
      batchMaxCount: 1,
      pollingInterval: 50,
    });
    sender = new Wallet(world.tenant('wool').admin.privateKey, provider);
    admin = await administrator(world, 'rice');
    orgId = (await admin.api.post<Json>('/api/v1/organisations', { name: 'Delta Mill' })).id;
    wanda = await invited('wanda@mill.example');
    piet = await invited('piet@mill.example');
  });
  afterAll(async () => {
    provider?.destroy();
    await world?.close();
  });

  describe('sign in with Ethereum before they are deployed (ERC-6492)', () => {
    it('when our factory makes exactly this account, and for nobody else', async () => {
      const own = await account(wanda);
      expect(own).toMatchObject({ deployed: false, guarded: false, keyCount: 1, keys: [{ passkeyId: wanda.device.id, signs: true }] });
      const made = madeBy(own);
      expect(await signIn(signerOf(own.address, wanda.device, made))).toBe('taken');
      expect(await signIn(signerOf(own.address, wanda.device))).toBe('401 siwe_invalid_signature');
      const other = Wallet.createRandom().address;
      expect(await signIn(signerOf(own.address, wanda.device, { ...made, factory: other }))).toBe('401 siwe_foreign_factory');
      // Piet signs for his own account, and names hers.
      expect(await signIn(signerOf(own.address, piet.device, madeBy(await account(piet))))).toBe('401 siwe_invalid_signature');
      expect(await signIn(signerOf(own.address, piet.device, made))).toBe('401 siwe_invalid_signature');
    });

    it.each([
      ['something before its end', (signature: string) => `${signature.slice(0, -64)}00${signature.slice(-64)}`],
      ['nothing but the end', (signature: string) => `0x${signature.slice(-64)}`],
      ['an address that is too long', (signature: string) => signature.replace('0x000000000000000000000000', '0x000000000000000000000001')],
    ])('not with %s', async (_what, change) => {
      const own = await account(wanda);
      const { message, signature } = await signedMessage(world, signerOf(own.address, wanda.device, madeBy(own)));
      const answer = new TraceabilityClient(world.baseUrl).post('/api/v2/auth/siwe', { message, signature: change(signature) });
      expect(await codeOf(answer)).toBe('401 siwe_invalid_signature');
    });
  });

  it('get further passkeys, and lose them, never the last one', async () => {
    const { address, keys } = await account(wanda);
    const removal = (keyId: string): Promise<Json> => wanda.api.post<Json>('/api/v2/auth/account/keys/removal/prepare', { keyId });
    const addition = async (passkeyId: string): Promise<RelayableCall[]> =>
      (await wanda.api.post<Json>('/api/v2/auth/account/keys/prepare', { passkeyId })).calls.map(keyChange);
    expect(await codeOf(removal(keys[0].keyId))).toBe('409 last_account_key');
    const laptop = await addPasskey(wanda);
    const adding = { passkeyId: laptop.id };
    // Nobody pays for the deployment of an account for which the passkey does not sign.
    expect(await reasonOf(relay(wanda, laptop, await addition(laptop.id)))).toBe('passkey_not_added');
    await relay(wanda, wanda.device, await addition(laptop.id));
    expect(await account(wanda)).toMatchObject({ deployed: true, keyCount: 2 });
    expect(await codeOf(wanda.api.post('/api/v2/auth/account/keys/prepare', adding))).toBe('409 account_key_taken');
    expect(await codeOf(wanda.api.post('/api/v2/auth/account/keys/prepare', { passkeyId: piet.device.id }))).toBe('404 passkey_not_found');
    expect(await codeOf(removal(`0x${'1'.repeat(64)}`))).toBe('404 account_key_not_found');
    // The new one signs, also in a sign-in; the one that it removes does no longer.
    expect(await signIn(signerOf(address, laptop))).toBe('taken');
    await relay(wanda, laptop, (await removal(keys[0].keyId)).calls.map(keyChange));
    expect(await signIn(signerOf(address, wanda.device))).toBe('401 siwe_invalid_signature');
    expect((await account(wanda)).keys.map(({ signs }: Json) => signs)).toEqual([false, true]);
    expect(await reasonOf(relay(wanda, wanda.device, await addition(wanda.device.id)))).toBe('passkey_not_added');
    await relay(wanda, laptop, await addition(wanda.device.id));
  });

  it('hold the lots of an organisation, whose members are approved and whose owners watch each other', async () => {
    const path = `/api/v1/organisations/${orgId}/account`;
    const open = (owners: readonly string[]): Promise<Json> => admin.api.post<Json>(path, { owners });
    expect(await codeOf(open([wanda.id, '00000000-0000-4000-8000-000000000000']))).toBe('not_an_owner');
    const { address, guarded } = await open([wanda.id]);
    expect([guarded, await codeOf(open([wanda.id]))]).toEqual([true, '409 organisation_account_exists']);
    expect(await codeOf(piet.api.post(`${path}/approvals/prepare`))).toBe('403 role_required');
    const owner = async (userId: string, change: string): Promise<RelayableCall[]> =>
      (await admin.api.post<Json>(`${path}/owners/prepare`, { userId, change })).calls.map(keyChange);
    const adding = await owner(piet.id, 'add');
    // A member is no owner, and the organisation's account does nothing that was prepared for another one.
    expect(await reasonOf(relay(piet, piet.device, adding, address))).toBe('passkey_not_added');
    expect(await reasonOf(relay(wanda, wanda.device, adding))).toBe('unknown_call');
    await relay(wanda, wanda.device, adding, address);
    expect(await codeOf(owner(piet.id, 'remove'))).toBe('409 removal_not_ready');
    await relay(wanda, wanda.device, await owner(piet.id, 'propose_removal'), address);
    expect(await codeOf(owner(piet.id, 'remove'))).toBe('409 removal_not_ready');
    await relay(piet, piet.device, await owner(piet.id, 'veto_removal'), address);
    expect(await codeOf(owner(piet.id, 'veto_removal'))).toBe('not_an_owner');

    const { preparedTxs } = await admin.api.post<Json>('/api/v2/members/grants/prepare', { members: [wanda.id, piet.id] });
    expect(preparedTxs.map(({ method }: Json) => method)).toEqual(['setRoles', 'setRoles']);
    for (const { preparedTx } of preparedTxs) await admin.sender.sendAndWait(preparedTx as PreparedTx);
    const approvals = async (): Promise<(Json & RelayableCall)[]> => (await admin.api.post<Json>(`${path}/approvals/prepare`)).preparedTxs;
    const first = await approvals();
    expect(first.map(({ method, signer }) => [method, signer])).toEqual(Array(2).fill(['setApprovalForAll', address]));
    await relay(piet, piet.device, first, address);
    expect(await approvals()).toEqual([]);

    const agrees = (): Promise<boolean> => admin.api.get<Json>(`/api/v2/members/${piet.id}`).then(({ onChain }) => onChain.agrees);
    await eventually('the grants are indexed', agrees);
    const { preparedTxs: removal } = await admin.api.post<Json>(`${path}/removal/prepare`, { userId: piet.id });
    expect(removal.map(({ method, signer }: Json) => [method, signer])).toEqual([
      ['setApprovalForAll', address],
      ['setRoles', admin.address],
    ]);
    await relay(wanda, wanda.device, [removal[0]], address);
    await admin.sender.sendAndWait(removal[1].preparedTx as PreparedTx);
    // He is a member still, so the next batch would approve him again.
    expect(await approvals()).toMatchObject([{ method: 'setApprovalForAll', signer: address }]);

    // It never becomes the wallet of one member, who would act for all owners.
    await admin.api.request('PATCH', `/api/v2/members/${piet.id}`, { wallet: address });
    const confirmed = piet.api.post('/api/v2/auth/wallet', await signedMessage(world, signerOf(address, wanda.device)));
    expect(await codeOf(confirmed)).toBe('409 wallet_taken');
    await admin.api.request('PATCH', `/api/v2/members/${piet.id}`, { wallet: (await account(piet)).address });
  });

  it('follow a member who lost all passkeys to new ones, with recalled, in-transit and contained lots', async () => {
    const rosa = await invited('rosa@mill.example');
    const lost = await account(rosa);
    await send(lost.deployment);
    const { contract } = await admin.api.get<{ contract: string }>('/api/v1/chain');
    const call = (method: string, ...args: unknown[]): Call => ({ to: contract, data: lots.encodeFunctionData(method, args) });
    const read = async (method: string, ...args: unknown[]): Promise<any> =>
      lots.decodeFunctionResult(method, await provider.call(call(method, ...args)))[0];
    const signedByAdmin = (calls: readonly { preparedTx: PreparedTx }[]): Promise<void> =>
      calls.reduce(
        (before, { preparedTx }) => before.then(async () => void (await admin.sender.sendAndWait(preparedTx))),
        Promise.resolve(),
      );
    await signedByAdmin((await admin.api.post<Json>('/api/v2/members/grants/prepare', { members: [rosa.id] })).preparedTxs);
    const first = Number(await read('nextTokenId'));
    const [recalled, content, outgoing, box] = [first, first + 1, first + 2, first + 3];
    const recorded = (name: string, inputs: readonly number[], outputs: number, mode: number): Call => {
      const made = Array.from({ length: outputs }, (_, i) => [hashOf(`${name} ${i}`), hashOf('SOMETHING'), lost.address, 0, 0]);
      return call('recordEvent', hashOf(name), hashOf('RICE_PACKING'), inputs, [], made, mode, ZeroHash);
    };
    await perform(lost.address, rosa.device, [
      recorded('rosa mints', [], 3, 0),
      recorded('rosa packs', [content], 1, 1),
      call('offerCustody', [outgoing], admin.address, [ZeroHash, ZeroHash, ZeroHash]),
    ]);
    const { to, data } = call('recall', recalled, ZeroHash);
    await admin.sender.sendAndWait({ to, data, gasEstimate: 200_000, chainId: world.demo.chainId });

    const recover = (path = '', body?: object): Promise<Json> => admin.api.post<Json>(`/api/v2/members/${rosa.id}/recovery${path}`, body);
    const { sub: self } = await admin.api.get<Json>('/api/v2/auth/me');
    expect(await codeOf(admin.api.post(`/api/v2/members/${self}/recovery`))).toBe('409 another_admin_required');
    expect(await codeOf(recover('/prepare', {}))).toBe('409 no_new_passkey');
    await recover();
    await admin.api.request('PATCH', `/api/v2/members/${rosa.id}`, { roles: ['OPERATOR', 'AUDITOR'] });
    await admin.api.request('PATCH', `/api/v2/members/${rosa.id}`, { roles: ['OPERATOR'] });
    expect(await codeOf(rosa.api.get('/api/v2/auth/account'))).toMatch(/^401 /);
    expect(await signIn(signerOf(lost.address, rosa.device))).toBe('401 unknown_wallet');
    expect(await codeOf(recover('/prepare', {}))).toBe('409 no_new_passkey');

    await givePassword(world, rosa.email, PASSWORD);
    const api = await TraceabilityClient.login(world.baseUrl, rosa.email, PASSWORD, 'rice');
    const device = await addPasskey({ api }, PASSWORD);
    const onChain = (): Promise<boolean> => admin.api.get<Json>(`/api/v2/members/${rosa.id}`).then((member) => member.onChain.agrees);
    await eventually('the grants are indexed', onChain);
    const { preparedTxs, acceptance } = await recover('/prepare', {});
    // Rights first: the old passkeys sign nothing more.
    expect(preparedTxs.map(({ method }: Json) => method)).toEqual(['setRoles', 'proposeWallet', 'setRoles']);
    const { replacement } = await account({ ...rosa, api });
    expect((await recover('/prepare', {})).preparedTxs[1].preparedTx.data).toBe(preparedTxs[1].preparedTx.data);
    await signedByAdmin(preparedTxs);
    await send(replacement.deployment);
    await provider.send('evm_increaseTime', [7 * 86_400 + 60]);
    await provider.send('evm_mine', []);
    await perform(replacement.address, device, [acceptance.preparedTx]);
    for (const tokenId of [recalled, content, outgoing, box]) expect(await read('custodianOf', tokenId)).toBe(replacement.address);
    await eventually('the wallet has moved', async () => {
      const { proposedWallet } = await admin.api.get<Json>(`/api/v2/members/${rosa.id}`);
      return proposedWallet === replacement.address;
    });
    await api.post('/api/v2/auth/wallet', await signedMessage(world, signerOf(replacement.address, device)));
    expect(await signIn(signerOf(replacement.address, device))).toBe('taken');
    expect(await signIn(signerOf(lost.address, rosa.device))).toBe('401 unknown_wallet');
  });
});
