import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ContractFactory, Interface, JsonRpcProvider, Wallet, ZeroHash } from 'ethers';
import { accountAddress } from '#chain';
import { PasskeySigner, type PreparedTx, TraceabilityClient, confirmTransaction, rpIdHashOf } from '#client';
import { CreateTenant, InviteMember, OPERATOR } from '#identity';
import { passkeyAccountAbi, passkeyAccountFactoryAbi } from '#contracts';
import { passkeyAccountFactoryBytecode } from '#contracts/bytecode';
import type { ScenarioEvent } from '../../apps/cli/src/demo/scenario.js';
import { readScenario } from '../../apps/cli/src/demo/scenario.js';
import { Authenticator, type Ceremony } from '../harness/authenticator.js';
import { confirmWallet, signedMessage } from '../harness/confirm-wallet.js';
import { givePassword } from '../harness/give-password.js';
import { minedReceipt } from '../harness/mined-receipt.js';
import { World } from '../harness/world.js';
import { type Json, administrator } from './rice-trade.js';

const EMAIL = 'passkey@rice.example';
const PASSWORD = 'correct horse battery';
const DOMAIN = 'localhost';
const account = new Interface(passkeyAccountAbi);

/** A member of the rice chain whose wallet is a PasskeyAccount: she has no key but the passkey, and no coins. Somebody else sends. */
describe('calls that a passkey signs', () => {
  let world: World;
  let provider: JsonRpcProvider;
  let sender: Wallet;
  let device: Authenticator;
  let signer: PasskeySigner;
  let member: TraceabilityClient;
  let sequence = 0;
  let attack: Ceremony = {};
  let harvests = 0;

  const send = async (to: string, data: string): Promise<string> => {
    const sent = await sender.sendTransaction({ to, data });
    await minedReceipt(provider, sent.hash);
    return sent.hash;
  };
  const place = async () => {
    const { timestamp } = (await provider.getBlock('latest'))!;
    return { lane: 0, sequence, deadline: timestamp + 300 };
  };
  const harvest = readScenario('rice').steps[0] as ScenarioEvent;
  const prepare = (): Promise<Json & { preparedTx: PreparedTx; eventId: string }> =>
    member.post('/api/v1/events/prepare', {
      processType: harvest.processType,
      metadata: harvest.metadata,
      inputTokenIds: [],
      outputTlc: `RH-20260915-PK${(harvests += 1)}`,
    });
  const refused = (data: string): Promise<string> =>
    provider.call({ from: sender.address, to: signer.address, data }).then(
      () => 'accepted',
      (error: { data?: string; message: string }) => account.parseError(error.data ?? '0x')?.name ?? error.message,
    );

  beforeAll(async () => {
    world = await World.start();
    provider = new JsonRpcProvider(world.demo.rpcUrl, undefined, {
      staticNetwork: true,
      cacheTimeout: -1,
      batchMaxCount: 1,
      pollingInterval: 50,
    });
    sender = new Wallet(world.tenant('wool').admin.privateKey, provider);
    const deployed = await new ContractFactory(passkeyAccountFactoryAbi, passkeyAccountFactoryBytecode, sender).deploy();
    await deployed.waitForDeployment();
    device = new Authenticator();
    const { x = '', y = '' } = device.publicKey.export({ format: 'jwk' });
    const word = (text: string): string => `0x${Buffer.from(text, 'base64url').toString('hex')}`;
    const key = { x: word(x), y: word(y), rpIdHash: rpIdHashOf(DOMAIN) };
    const config = { salt: ZeroHash, guarded: false, keys: [key] };
    const factory = deployed as unknown as Json;
    const address = (await factory['addressOf'](config)) as string;
    expect(accountAddress(await deployed.getAddress(), config)).toBe(address);
    signer = new PasskeySigner({ address, chainId: world.demo.chainId, key, credentialId: device.id }, ({ publicKey }) =>
      Promise.resolve(device.get({ challenge: String(publicKey['challenge']), rpId: DOMAIN }, attack)),
    );
    await send(await deployed.getAddress(), factory['interface'].encodeFunctionData('deploy', [config]) as string);
    const admin = await administrator(world, 'rice');
    const { id } = await admin.api.post<Json>('/api/v2/members', { email: EMAIL, roles: ['OPERATOR'], wallet: address });
    await givePassword(world, EMAIL, PASSWORD);
    await confirmWallet(world, { email: EMAIL, password: PASSWORD }, signer);
    const { preparedTxs } = await admin.api.post<{ preparedTxs: { preparedTx: PreparedTx }[] }>(`/api/v2/members/${id}/grants/prepare`);
    for (const { preparedTx } of preparedTxs) await admin.sender.sendAndWait(preparedTx);
    member = await TraceabilityClient.login(world.baseUrl, EMAIL, PASSWORD, 'rice');
  });
  afterAll(async () => {
    provider?.destroy();
    await world?.close();
  });

  it('record events in her name, although she has neither coins nor a private key', async () => {
    const { preparedTx, eventId } = await prepare();
    const hash = await send(signer.address, await signer.signCalls([preparedTx], await place()));
    sequence += 1;
    const tracked = await confirmTransaction(member, hash, { type: 'event' });
    expect(tracked.status).toBe('confirmed');
    const event = await member.get<Json>(`/api/v1/events/${eventId}`);
    expect(event).toMatchObject({ actor: { address: signer.address }, calldataMismatch: false });
    expect(await provider.getBalance(signer.address)).toBe(0n);
  });

  it('are all done, or none', async () => {
    const prepared = [await prepare(), await prepare()];
    const calls = prepared.map(({ preparedTx }) => preparedTx);
    const broken = { ...calls[1]!, data: calls[0]!.data };
    expect(await refused(await signer.signCalls([calls[0]!, broken], await place()))).toBe('CallFailed');
    const hash = await send(signer.address, await signer.signCalls(calls, await place()));
    sequence += 1;
    const { status, logs } = (await provider.getTransactionReceipt(hash))!;
    expect([status, logs.filter(({ address }) => address === signer.address).length]).toEqual([1, 1]);
  });

  it('are done once, in their order, until their deadline, as they were signed', async () => {
    const { preparedTx } = await prepare();
    const at = await place();
    expect(await refused(await signer.signCalls([preparedTx], { ...at, sequence: sequence - 1 }))).toBe('WrongSequence');
    expect(await refused(await signer.signCalls([preparedTx], { ...at, sequence: sequence + 1 }))).toBe('WrongSequence');
    expect(await refused(await signer.signCalls([preparedTx], { ...at, deadline: at.deadline - 600 }))).toBe('Expired');
    expect(await refused(await signer.signCalls([preparedTx], { ...at, deadline: at.deadline + 600 }))).toBe('DeadlineTooFar');
    const other = await signer.signCalls([preparedTx], at);
    expect(await refused(other)).toBe('accepted');
    expect(await refused(other.replace(preparedTx.data.slice(10, 74), 'ab'.repeat(32)))).toBe('InvalidAssertion');
  });

  it.each([
    ['another domain', { rpId: 'evil.example' }, 'The passkey signed for another domain.'],
    ['another challenge', { challenge: 'AAAA' }, 'The passkey signed something else.'],
    ['a registration', { type: 'webauthn.create' }, 'The passkey signed something else.'],
  ])('are not made of an answer for %s', async (_what, how, message) => {
    const at = await place();
    attack = how;
    await expect(signer.signCalls([{ to: signer.address, data: '0x' }], at)).rejects.toThrow(message);
    attack = {};
  });

  it('are not made of the answer of a device that did not verify its user', async () => {
    const { preparedTx } = await prepare();
    attack = { verified: false };
    const data = await signer.signCalls([preparedTx], await place());
    attack = {};
    expect(await refused(data)).toBe('InvalidAssertion');
  });

  it('are for an account that her first passkey makes, where she was invited without a wallet', async () => {
    const admin = await administrator(world, 'rice');
    const { accountFactory } = await admin.api.get<Json>('/api/v1/chain');
    expect(await provider.getCode(accountFactory as string)).not.toBe('0x');
    const { app } = world.service;
    const tenant = await app.get(CreateTenant, { strict: false }).find('rice');
    const invite = async (email: string, wallet: string | null): Promise<Json> => {
      const given = { email, roles: ['OPERATOR'], wallet } as const;
      const { userId, invitation } = await app.get(InviteMember, { strict: false }).add(tenant!.id, given, OPERATOR);
      const { token } = invitation!;
      const anonymous = new TraceabilityClient(world.baseUrl);
      const { publicKey } = await anonymous.post<Json>('/api/v2/auth/invitations/passkey/options', { token });
      const response = new Authenticator().create(publicKey as never, { origin: `http://${world.service.config.siwe.domains[0]}` });
      await anonymous.post('/api/v2/auth/invitations/passkey/verify', { token, response, name: 'Phone' });
      return admin.api.get<Json>(`/api/v2/members/${userId}`);
    };
    const { wallet } = await invite('without@rice.example', null);
    expect(wallet).toMatch(/^0x[0-9a-fA-F]{40}$/);
    expect(await provider.getCode(wallet as string)).toBe('0x');
    const other = Wallet.createRandom().address;
    expect(await invite('with@rice.example', other)).toMatchObject({ wallet: other });
  });

  it('sign in with Ethereum as her account (ERC-1271), and not as another', async () => {
    const anonymous = new TraceabilityClient(world.baseUrl);
    const proof = await signedMessage(world, signer);
    const { accessToken } = await anonymous.post<{ accessToken: string }>('/api/v2/auth/siwe', proof);
    const payload = JSON.parse(Buffer.from(accessToken.split('.')[1]!, 'base64url').toString()) as Json;
    expect(payload).toMatchObject({ wallet: signer.address, tid: 'rice' });
    const changed = { ...(await signedMessage(world, signer)), signature: proof.signature };
    await expect(anonymous.post('/api/v2/auth/siwe', changed)).rejects.toMatchObject({ code: 'siwe_invalid_signature' });
  });
});
