import { existsSync, readFileSync } from 'node:fs';
import { Module, Global } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Wallet } from 'ethers';
import { SiweMessage } from 'siwe';
import { JsonRpc } from '#chain';
import { startTestAnvil, type TestAnvil } from '#chain/testing';
import { identityPersistence } from '#identity';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { type SiweFields, checkSiwe, siweClient } from '#identity/testing';
import { FreshIdentity } from './siwe-world.js';
import { type Answer, IdentityWorld, PASSWORD } from './identity-world.js';

const DOMAIN = 'localhost:3000';
const readOf = (token: string): any => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());

describe('sign-in with Ethereum', () => {
  let anvil: TestAnvil;
  let rpc: JsonRpc;
  let database: TestDatabase;
  let world: IdentityWorld;
  let rice: { id: string };
  let wool: { id: string };

  /** A member whose wallet signs. */
  const member = async (name: string, tenants: readonly { id: string }[], wallet: string): Promise<{ id: string }> => {
    const user = await world.users.create({ email: `${name}@siwe.example`, name, password: PASSWORD });
    for (const { id } of tenants) await world.members.add(id, user.id, { roles: ['OPERATOR'], wallet });
    return user;
  };
  const nonce = async (): Promise<string> => (await FreshIdentity.nonce(world)).text;
  const message = async (address: string, more: Partial<SiweMessage> = {}): Promise<string> =>
    new SiweMessage({
      domain: DOMAIN,
      address,
      uri: `http://${DOMAIN}/login`,
      version: '1',
      chainId: 31_337,
      nonce: await nonce(),
      issuedAt: new Date().toISOString(),
      ...more,
    }).prepareMessage();
  const post = (text: unknown, signature: unknown, more: object = {}): Promise<Answer> =>
    world.auth('siwe', { message: text, signature, ...more });
  const signIn = async (wallet: Wallet | ReturnType<typeof Wallet.createRandom>, more: Partial<SiweMessage> = {}): Promise<Answer> => {
    const text = await message(wallet.address, more);
    return post(text, await wallet.signMessage(text));
  };
  const codeOf = ({ status, body }: Answer): string => `${status} ${body.code}`;

  beforeAll(async () => {
    [anvil, database] = await Promise.all([startTestAnvil(), cloneTestDatabase([identityPersistence])]);
    rpc = new JsonRpc({ urls: [anvil.url], timeoutMs: 5_000 });
    @Global()
    @Module({ providers: [{ provide: JsonRpc, useValue: rpc }], exports: [JsonRpc] })
    class ChainOfTheTest {}
    world = await IdentityWorld.start(database.endpoint, { extra: ChainOfTheTest });
    rice = await world.tenants.create({ slug: 'rice', name: 'Rice Chain' });
    wool = await world.tenants.create({ slug: 'wool', name: 'Wool Chain' });
  });
  afterAll(async () => {
    await world?.stop();
    await database?.drop();
    await anvil?.stop();
  });

  describe('the nonce', () => {
    it('is plain text of 32 letters and digits, or a JSON string for clients that accept JSON, and new each time', async () => {
      const bare = await FreshIdentity.nonce(world);
      expect(bare.type).toMatch(/^text\/plain/);
      expect(bare.text).toMatch(/^[A-Za-z0-9]{32}$/);
      const json = await FreshIdentity.nonce(world, 'application/json');
      expect(json.type).toMatch(/^application\/json/);
      expect(JSON.parse(json.text)).toMatch(/^[A-Za-z0-9]{32}$/);
      expect(JSON.parse(json.text)).not.toBe(bare.text);
    });

    it('is valid for one sign-in, and for five minutes', async () => {
      const wallet = Wallet.createRandom();
      await member('once', [rice], wallet.address);
      const text = await message(wallet.address);
      const signature = await wallet.signMessage(text);
      expect((await post(text, signature)).status).toBe(200);
      expect(codeOf(await post(text, signature))).toBe('401 siwe_unknown_nonce');
      expect(codeOf(await signIn(wallet, { nonce: 'neverIssuedHere17' }))).toBe('401 siwe_unknown_nonce');
      const old = await nonce();
      world.clock.forward(301);
      const late = await signIn(wallet, { nonce: old, issuedAt: world.clock.now().toISOString() });
      world.clock.forward(-301);
      expect(codeOf(late)).toBe('401 siwe_unknown_nonce');
    });

    it('opens one session when one message is posted 50 times at once', async () => {
      const wallet = Wallet.createRandom();
      await member('fifty', [rice], wallet.address);
      const text = await message(wallet.address);
      const signature = await wallet.signMessage(text);
      const answers = await Promise.all(Array.from({ length: 50 }, () => post(text, signature)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(new Set(answers.filter(({ status }) => status !== 200).map(codeOf))).toEqual(new Set(['401 siwe_unknown_nonce']));
    });
  });

  describe('the owner of the wallet', () => {
    it('gets a full token as a member of one tenant, and can refresh it', async () => {
      const wallet = Wallet.createRandom();
      const user = await member('one', [rice], wallet.address);
      const { status, body } = await signIn(wallet);
      expect(status).toBe(200);
      expect(body).toMatchObject({ partial: false, stale: false });
      expect(readOf(body.accessToken)).toMatchObject({ sub: user.id, tid: 'rice', wallet: wallet.address, token_use: 'full' });
      expect((await world.get('/api/v1/asked/member', body.accessToken)).body).toMatchObject({ id: user.id, wallet: wallet.address });
      expect((await world.auth('refresh', { refreshToken: body.refreshToken })).status).toBe(200);
    });

    it('gets a partial token as a member of several tenants', async () => {
      const wallet = Wallet.createRandom();
      await member('both', [rice, wool], wallet.address);
      const { body } = await signIn(wallet);
      expect(body.partial).toBe(true);
      const chosen = await world.auth('select-tenant', { tenantId: 'wool' }, body.accessToken);
      expect(readOf(chosen.body.accessToken).tid).toBe('wool');
    });

    it('is refused for an unknown wallet', async () => {
      expect(codeOf(await signIn(Wallet.createRandom()))).toBe('401 unknown_wallet');
    });

    it('reaches only the tenants where the user has this wallet, and never the platform', async () => {
      const [own, planted] = [Wallet.createRandom(), Wallet.createRandom()];
      const user = await world.users.create({ email: 'root@siwe.example', name: 'Root', password: PASSWORD, platformAdmin: true });
      await world.members.add(rice.id, user.id, { roles: ['TENANT_ADMIN'], wallet: own.address });
      await world.members.add(wool.id, user.id, { roles: ['OPERATOR'], wallet: planted.address });
      const { body } = await signIn(planted);
      expect(readOf(body.accessToken)).toMatchObject({ tid: 'wool', isPlatformAdmin: false, memberships: [{ slug: 'wool' }] });
      expect(codeOf(await world.get('/api/v1/asked/platform', body.accessToken))).toBe('403 platform_admin_required');
      expect(codeOf(await world.auth('switch-tenant', { tenantId: 'rice' }, body.accessToken))).toBe('403 not_a_member');
      expect((await world.get('/api/v2/auth/memberships', body.accessToken)).body).toMatchObject([{ slug: 'wool' }]);
      const again = await world.auth('refresh', { refreshToken: body.refreshToken });
      expect(readOf(again.body.accessToken).memberships).toHaveLength(1);
      await world.members.add(wool.id, user.id, { roles: ['OPERATOR'], wallet: null });
      expect(codeOf(await world.get('/api/v1/asked/member', body.accessToken))).toBe('401 invalid_token');
    });

    it('must name the tenant when the wallet belongs to different users', async () => {
      const wallet = Wallet.createRandom();
      await member('first', [rice], wallet.address);
      const second = await member('second', [wool], wallet.address);
      expect(codeOf(await signIn(wallet))).toBe('409 wallet_of_several_users');
      const text = await message(wallet.address);
      const { body } = await post(text, await wallet.signMessage(text), { tenantId: 'wool' });
      expect(readOf(body.accessToken).sub).toBe(second.id);
    });

    it('who signed in with it comes before who is only said to have it, in that tenant and in no other', async () => {
      const wallet = Wallet.createRandom();
      const proved = await member('proved', [rice], wallet.address);
      expect((await signIn(wallet)).status).toBe(200);
      const said = await member('said', [wool], wallet.address);
      const subOf = async (more: object = {}): Promise<string> => {
        const text = await message(wallet.address);
        const { body } = await post(text, await wallet.signMessage(text), more);
        return readOf(body.accessToken).sub as string;
      };
      expect(await subOf()).toBe(proved.id);
      expect([await subOf({ tenantId: 'rice' }), await subOf({ tenantId: 'wool' })]).toEqual([proved.id, said.id]);
      // Now the owner has signed for both.
      expect(codeOf(await signIn(wallet))).toBe('409 wallet_of_several_users');
    });
  });

  describe('the message', () => {
    const wallet = Wallet.createRandom();
    beforeAll(() => member('strict', [rice], wallet.address));

    it.each<[string, Partial<SiweMessage> | (() => Partial<SiweMessage>), string]>([
      ['another domain', { domain: 'evil.example' }, '401 siwe_wrong_domain'],
      ['the domain without its port', { domain: 'localhost' }, '401 siwe_wrong_domain'],
      ['a longer domain', { domain: 'localhost:30000' }, '401 siwe_wrong_domain'],
      ['a URI elsewhere', { uri: 'https://evil.example/login' }, '401 siwe_wrong_uri'],
      ['a URI that hides its host', { uri: `http://${DOMAIN}@evil.example/` }, '401 siwe_wrong_uri'],
      ['another chain', { chainId: 1 }, '401 siwe_wrong_chain'],
      ['an old time of issue', () => ({ issuedAt: new Date(Date.now() - 310_000).toISOString() }), '401 siwe_not_current'],
      ['a time of issue to come', () => ({ issuedAt: new Date(Date.now() + 90_000).toISOString() }), '401 siwe_not_current'],
      ['an expiry that is over', () => ({ expirationTime: new Date(Date.now() - 1_000).toISOString() }), '401 siwe_not_current'],
      ['a begin that is to come', () => ({ notBefore: new Date(Date.now() + 30_000).toISOString() }), '401 siwe_not_current'],
    ])('is refused with %s, and the nonce stays valid', async (_what, given, code) => {
      // Times are those of the test, not of the moment when the file was loaded.
      const wrong = typeof given === 'function' ? given() : given;
      const kept = await nonce();
      expect(codeOf(await signIn(wallet, { ...wrong, nonce: kept }))).toBe(code);
      expect((await signIn(wallet, { nonce: kept })).status).toBe(200);
    });

    it('is refused when its address has no checksum, naming EIP-55', async () => {
      const text = await message(wallet.address);
      const swapped = wallet.address.replace(/[a-f]/i, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()));
      for (const address of [wallet.address.toLowerCase(), swapped]) {
        const other = text.replace(wallet.address, address);
        expect(codeOf(await post(other, await wallet.signMessage(other)))).toBe('400 siwe_address_not_eip55');
      }
    });

    it('is refused when malformed: CRLF, no text, more than 4 KiB, 2 MB, another media type', async () => {
      const text = await message(wallet.address);
      const crlf = text.replaceAll('\n', '\r\n');
      expect(codeOf(await post(crlf, await wallet.signMessage(crlf)))).toBe('400 siwe_malformed');
      expect(codeOf(await post('', '0x00'))).toBe('400 siwe_malformed');
      expect(codeOf(await post(`${text}\n`, await wallet.signMessage(`${text}\n`)))).toBe('400 siwe_malformed');
      expect(codeOf(await post('x'.repeat(4097), '0x00'))).toBe('400 siwe_malformed');
      expect((await post('x'.repeat(2_000_000), '0x00')).status).toBe(413);
      for (const wrong of [null, 7, {}, [text]]) expect((await post(wrong, '0x00')).status).toBe(400);
    });

    it('is refused with 401 for every malformed signature', async () => {
      const text = await message(wallet.address);
      const good = await wallet.signMessage(text);
      const stranger = await Wallet.createRandom().signMessage(text);
      const malformed = [
        '',
        '0x',
        '0x0',
        'hello',
        good.slice(2),
        good.slice(0, -2),
        `${good}00`,
        good.replace('0x', '0X'),
        `0x${'z'.repeat(130)}`,
      ];
      const wrong = [`0x${'00'.repeat(65)}`, `0x${'ff'.repeat(65)}`, `${good.slice(0, -2)}63`, `0x${'ab'.repeat(4_097)}`, stranger];
      for (const signature of [...malformed, ...wrong])
        expect(`${signature.slice(0, 12)} ${codeOf(await post(text, signature))}`).toBe(
          `${signature.slice(0, 12)} 401 siwe_invalid_signature`,
        );
      expect((await post(text, good)).status).toBe(200);
    });
  });

  describe('a contract wallet (EIP-1271)', () => {
    const owner = Wallet.createRandom();
    let contract: string;

    beforeAll(async () => {
      contract = await FreshIdentity.deployWallet(rpc, owner.address);
      await member('safe', [rice], contract);
    });

    it('signs in with a signature that its contract accepts', async () => {
      const text = await message(contract);
      const { status, body } = await post(text, await owner.signMessage(text));
      expect(status).toBe(200);
      expect(readOf(body.accessToken).wallet).toBe(contract);
    });

    it('is refused a signature that its contract does not accept; an account without code signs only by its key', async () => {
      const text = await message(contract);
      expect(codeOf(await post(text, await Wallet.createRandom().signMessage(text)))).toBe('401 siwe_invalid_signature');
      expect(codeOf(await post(text, '0x1234'))).toBe('401 siwe_invalid_signature');
      const reverting = await FreshIdentity.deploy(rpc, '600080fd');
      const other = await message(reverting);
      expect(codeOf(await post(other, await owner.signMessage(other)))).toBe('401 siwe_invalid_signature');
    });

    it('is refused when its contract uses up its gas; that is no fault of the node', async () => {
      const counted = { ...rpc.metrics.counts.errors };
      for (const runtime of ['5b600056', 'fe', '600080fd']) {
        const burning = await FreshIdentity.deploy(rpc, runtime);
        const text = await message(burning);
        expect(codeOf(await post(text, await owner.signMessage(text)))).toBe('401 siwe_invalid_signature');
      }
      expect(rpc.metrics.counts.errors).toEqual(counted);
    });

    it('gets 503 while the chain does not answer; wallets with a key still sign in', async () => {
      const dark = siweClient(new JsonRpc({ urls: ['http://127.0.0.1:9'], timeoutMs: 500, passes: 1 }));
      const text = await message(contract);
      await expect(dark.isSigned(text, await owner.signMessage(text))).rejects.toMatchObject({ status: 503 });
      const plain = await message(owner.address);
      expect(await dark.isSigned(plain, await owner.signMessage(plain))).toBe(true);
    });
  });
});

/** Public vectors of the siwe project; they are in a folder next to the project. */
const VECTORS = new URL('../../../../shared/data/siwe/', import.meta.url);
const vectors = (name: string): [string, any][] =>
  existsSync(VECTORS) ? Object.entries(JSON.parse(readFileSync(new URL(`${name}.json`, VECTORS), 'utf8')) as object) : [['absent', null]];
const given = existsSync(VECTORS) ? describe : describe.skip;

given('the public vectors of EIP-4361', () => {
  const messages = siweClient();

  it.each(vectors('parsing_positive'))('reads: %s', (_name, { message, fields }) => {
    const read: SiweFields = messages.read(message as string);
    const said = Object.entries(fields as Record<string, unknown>).filter(([, value]) => value !== null);
    expect(Object.fromEntries(said.map(([field]) => [field, read[field as keyof SiweFields]]))).toEqual(Object.fromEntries(said));
  });

  it.each(vectors('parsing_negative'))('refuses: %s', (_name, text) => {
    expect(() => messages.read(text as string)).toThrow(expect.objectContaining({ status: 400 }));
  });

  it.each(vectors('verification_positive'))('verifies at its time: %s', async (_name, { signature, time, ...fields }) => {
    const text = new SiweMessage(fields as Partial<SiweMessage>).prepareMessage();
    const read = messages.read(text);
    const at = new Date((time as string | undefined) ?? read.issuedAt!);
    expect(await messages.isSigned(text, signature as string)).toBe(true);
    const policy = { domains: [read.domain, new URL(read.uri).host], chainId: read.chainId };
    expect(() => checkSiwe({ ...read, issuedAt: at.toISOString() }, policy, at)).not.toThrow();
    expect(() => checkSiwe(read, { ...policy, chainId: 2 }, at)).toThrow(expect.objectContaining({ code: 'siwe_wrong_chain' }));
  });
});
