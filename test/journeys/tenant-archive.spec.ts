import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { zipSync } from 'fflate';
import { Rpc, TraceabilityClient } from '#client';
import { cloneTestDatabase } from '#persistence/testing';
import { contexts } from '../../apps/runtime/src/index.js';
import { runCommand } from '../harness/command-line.js';
import { eventuallyHolds } from '../harness/eventually.js';
import { givePassword } from '../harness/give-password.js';
import { World } from '../harness/world.js';
import { type Json, RiceTrade } from './rice-trade.js';

const PASSPHRASE = 'a long passphrase of the operators';
const PASSWORD = 'correct horse battery';

/** An answer without what only the preparation of an event knew, and when it was given. */
function lasting(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(lasting);
  if (answer === null || typeof answer !== 'object') return answer;
  const passing =
    'calldataMismatch' in answer ? ['recordTime', 'createdAt', 'updatedAt', 'warnings'] : ['checkedAt', 'latencyMs', 'elapsedMs'];
  return Object.fromEntries(
    Object.entries(answer).flatMap(([name, value]) => (passing.includes(name) ? [] : [[name, lasting(value)] as const])),
  );
}

/** docs/how-to/move-a-tenant.md, played: the second service has another database, content store and encryption key. */
describe('a tenant that moves to another service', () => {
  let world: World;
  let folder: string;
  let file: string;
  let said: Record<string, unknown>;
  let document: { readonly id: string };
  let settings: Readonly<Record<string, string>> = {};

  beforeAll(async () => {
    world = await World.start();
    const trade = await RiceTrade.of(world);
    await Promise.all([world.play('rice', 8), world.play('wool', 2)]);
    folder = mkdtempSync(join(tmpdir(), 'trace-archive-'));
    file = join(folder, 'rice.zip');
    document = await trade.farmA.api.documents.upload(new Blob(['%PDF-1.7 a certificate']), 'c.pdf', {
      type: 'CERTIFICATE',
    });
    const { tokenId } = await trade.harvest();
    await trade.land(trade.admin, trade.recall(trade.admin, tokenId, { reason: 'Glass' }));
    const { id } = (await trade.api.recalls.list()).data[0] as { id: string };
    await trade.farmA.api.recalls.acknowledge(id, [{ tokenId, state: 'destroyed' }]);
    await settled();
    said = await answers(trade.api);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await world?.close();
  });

  const cli = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<{ code: number; said: string }> => {
    const { code, stdout, stderr } = await runCommand(args, {
      ...world.environment,
      ...settings,
      TRACE_ARCHIVE_PASSPHRASE: PASSPHRASE,
      ...env,
    });
    return { code, said: stdout + stderr };
  };
  const settled = (): Promise<void> =>
    eventuallyHolds(async () => {
      const head = Number(await new Rpc(world.node.url).call<string>('eth_blockNumber'));
      const status = JSON.parse((await cli(['chain', 'status'])).said) as Json;
      expect([status['head'], status['final'], status['command']]).toEqual([head, head, null]);
    });

  async function answers(api: TraceabilityClient): Promise<Record<string, unknown>> {
    const { data: lots } = await api.get<{ data: Json[] }>('/api/v1/nfts?limit=100');
    const { data: events } = await api.get<{ data: Json[] }>('/api/v1/events?limit=100');
    const paths = [
      ...['nfts?limit=100', 'events?limit=100', 'recalls', 'process-maps', 'organisations', 'documents', 'passports', 'rules'].map(
        (list) => `/api/v1/${list}`,
      ),
      ...lots.map(({ tokenId }) => `/api/v1/nfts/${tokenId as number}/custody`),
      ...events.slice(0, 4).map(({ id }) => `/api/v1/events/${id as string}/verify`),
      `/api/v1/documents/${document.id}`,
    ];
    const found: Record<string, unknown> = {};
    for (const path of paths) found[path] = lasting(await api.get(path));
    return found;
  }

  it('is written into one file, which only its passphrase seals', async () => {
    expect(await cli(['tenant', 'archive', 'rice', '--to', file], { TRACE_ARCHIVE_PASSPHRASE: 'short' })).toMatchObject({ code: 1 });
    const made = await cli(['tenant', 'archive', 'rice', '--to', file]);
    expect([made.code, made.said]).toEqual([
      0,
      expect.stringMatching(/has \d+ rows, [1-9]\d* contents and the keys of [1-9]\d* contents\.\n$/),
    ]);
    expect(readdirSync(folder)).toEqual(['rice.zip']);
    expect(await cli(['tenant', 'archive', 'nobody', '--to', join(folder, 'x.zip')])).toMatchObject({
      code: 1,
      said: expect.stringContaining('There is no tenant nobody'),
    });
  });

  it('is refused where it is already', async () => {
    expect(await cli(['tenant', 'restore', file])).toMatchObject({ code: 1, said: expect.stringContaining('has a tenant rice already') });
  });

  it('is refused torn, changed, foreign, by another passphrase and on another chain', async () => {
    await otherService();
    const bytes = readFileSync(file);
    const written = (name: string, content: Uint8Array): string => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const middle = Buffer.from(bytes);
    middle[Math.floor(bytes.length / 2)]! ^= 1;
    const refused = async (path: string, env: Readonly<Record<string, string>> = {}): Promise<string> => {
      const { code, said: text } = await cli(['tenant', 'restore', path], env);
      expect([path, code]).toEqual([path, 1]);
      return text;
    };
    expect(await refused(written('torn.zip', bytes.subarray(0, bytes.length - 100)))).toContain('its end is missing');
    expect(await refused(written('changed.zip', middle))).toMatch(/is damaged|was changed/);
    expect(await refused(written('foreign.zip', zipSync({ 'a.txt': new Uint8Array(3) })))).toContain('no archive of a tenant');
    expect(await refused(join(folder, 'missing.zip'))).toContain('There is no file');
    expect(await refused(file, { TRACE_ARCHIVE_PASSPHRASE: 'another passphrase, long enough' })).toContain('TRACE_ARCHIVE_PASSPHRASE');
    const registry = `0x${'12'.repeat(20)}`;
    expect(await refused(file, { CHAIN_REGISTRY: registry })).toContain('What is on chain does not move');
    const { said: list } = await cli(['tenant', 'list']);
    expect(JSON.parse(list)).toEqual([]);
  });

  /** Another database, another content store, another key: nothing of the first service but its chain. */
  async function otherService(name = 'other'): Promise<void> {
    const registry = settings['CHAIN_REGISTRY'] ?? (await (await world.admin('rice')).get<{ registry: string }>('/api/v1/chain')).registry;
    await world.stop();
    settings = {
      ...{ CHAIN_REGISTRY: registry, ENCRYPTION_KEY: Buffer.alloc(32, name).toString('base64'), CONTENT_STORE: 'database' },
      ERASURE_DIR: join(folder, name),
    };
    await world.startAgain(await cloneTestDatabase(contexts), settings);
  }

  it('is whole on the other service: its lots and events from the chain, everything else from the file', async () => {
    const restored = await cli(['tenant', 'restore', file]);
    expect([restored.code, restored.said]).toEqual([0, expect.stringContaining('Run `cli chain reindex` now')]);
    expect((await cli(['chain', 'reindex'])).code).toBe(0);
    await settled();
    const api = await administrator();
    await eventuallyHolds(async () => expect(await answers(api)).toEqual(said));
    // What was sent before the archive is not sent again, by the outbox or by what has left it.
    expect((await api.changes.list({ limit: 100 })).data.map(({ event }) => event)).toEqual([]);
    const content = await api.documents.content(document.id);
    expect(await content.text()).toBe('%PDF-1.7 a certificate');
    expect((await cli(['content', 'check'])).said).toMatch(/^\d+ whole, 0 restored, 0 missing or damaged\.\n$/);
  });

  it('is restored once', async () => {
    expect(await cli(['tenant', 'restore', file])).toMatchObject({ code: 1, said: expect.stringContaining('has a tenant rice already') });
  });

  /** Of the service that runs now, where people have no passwords yet. */
  async function administrator(): Promise<TraceabilityClient> {
    await givePassword(world, world.tenant('rice').admin.email, PASSWORD);
    return TraceabilityClient.login(world.baseUrl, world.tenant('rice').admin.email, PASSWORD, 'rice');
  }

  /** docs/how-to/delete-a-persons-data.md */
  it('has no value again that was erased after its archive was written', async () => {
    const before = join(folder, 'before.zip');
    expect((await cli(['tenant', 'archive', 'rice', '--to', before])).code).toBe(0);
    const api = await administrator();
    const { data } = await api.get<{ data: Json[] }>('/api/v1/events?limit=100');
    const { id } = data.find(({ processType }) => processType === 'RICE_HARVESTING') as { id: string };
    const harvester = async (of: TraceabilityClient): Promise<string> => {
      const { contentState, metadata } = await of.get<{ contentState: string; metadata: Json }>(`/api/v1/events/${id}`);
      return `${contentState}: ${JSON.stringify(metadata['harvester'])}`;
    };
    expect(await harvester(api)).toMatch(/: .*crew/);
    await api.post('/api/v1/privacy/erasures', { eventId: id, pointers: ['/metadata/harvester'] });
    const log = join(settings['ERASURE_DIR']!, 'erasures.jsonl');
    await eventuallyHolds(() => Promise.resolve(expect(readFileSync(log, 'utf8')).toContain(id)));

    await otherService('third');
    const refused = async (erasures: string): Promise<string> => {
      const { code, said: text } = await cli(['tenant', 'restore', before, '--erasures', erasures]);
      expect([erasures, code]).toEqual([erasures, 1]);
      return text;
    };
    expect(await refused(join(folder, 'missing'))).toContain('cannot be read');
    expect(await refused(folder)).toContain('cannot be read');
    expect(await refused(before)).toContain('is no erasure log');
    expect(await cli(['tenant', 'restore', before, '--erasures', log])).toMatchObject({
      code: 0,
      said: expect.stringContaining('1 erasure of rice was added'),
    });
    expect((await cli(['chain', 'reindex'])).code).toBe(0);
    await settled();
    await world.stop();
    await world.startAgain(world.database, settings);
    const after = await harvester(await administrator());
    expect([after.startsWith('erased: '), after.includes('crew')]).toEqual([true, false]);
  });
});
