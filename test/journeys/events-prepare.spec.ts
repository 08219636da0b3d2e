import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { addressOf } from '#content-storage';
import { createHttpApp, createLogger } from '#http';
import { type Actor, canonicalJson, DomainError, type Hex, keccakOf, newId } from '#kernel';
import { testActor } from '#kernel/testing';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { keysPersistence, OpenContents } from '#sealed-contents';
import { processMapTemplates, traceabilityPersistence } from '#traceability';
import {
  EventsModule,
  LogWriter,
  MAX_UINT256,
  OneContract,
  landingParts,
  readScenario,
  type ScenarioStep,
  walletOf,
  WillingChain,
} from '#traceability/testing';
import { ContractCheck } from '../harness/contract-check.js';

type Json = Record<string, any>;

const CONTRACT = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const ORGANISATIONS = { [walletOf('farmA')]: 'farmA', [walletOf('farmA2')]: 'farmA', [walletOf('mill')]: 'mill' };
const scenario = (key: string) => readScenario(new URL(`../../apps/cli/src/demo/scenarios/${key}.scenario.json`, import.meta.url));
const stageOf = (key: string, processType: string): Json =>
  structuredClone(scenario(key).steps.find((stage) => stage.processType === processType)!) as Json;

describe('preparing events', () => {
  let db: TestDatabase;
  let app: NestFastifyApplication;
  let check: ContractCheck;
  let base: string;
  let tenantId: string;
  let actor: Actor;
  let book: LogWriter;
  let finalBlock: number;
  let now: Date;
  const chain = new WillingChain();
  const { content, handler, parties } = landingParts('demo', ORGANISATIONS);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });

  beforeAll(async () => {
    db = await cloneTestDatabase([traceabilityPersistence, keysPersistence]);
    const module = EventsModule.of({
      unitOfWork: db.unitOfWork,
      parties,
      tenants: new OneContract('demo', CONTRACT),
      contents: content,
      chain,
      actor: () => actor,
      finalBlock: () => finalBlock,
      now: () => now,
    });
    app = await createHttpApp(module, {
      config: { http: { host: '127.0.0.1', port: 0, trustedProxies: 0 } },
      logger: createLogger({ level: 'error' }, silent),
    });
    await app.listen(0, '127.0.0.1');
    check = new ContractCheck(app);
    base = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}/api/v1`;
  });
  afterAll(async () => {
    await app.close();
    await db.drop();
    check.mustHold();
  });
  beforeEach(async () => {
    tenantId = newId();
    book = new LogWriter(CONTRACT);
    finalBlock = 1_000_000;
    now = new Date('2026-11-28T00:00:00Z');
    chain.refusal = null;
    be('admin', { roles: ['TENANT_ADMIN'] });
    for (const map of processMapTemplates) expect((await post('/process-maps', map)).status).toBe(201);
    be('farmA');
  });

  function be(name: string, changes: Partial<Actor> = {}): void {
    const wallet = walletOf(name);
    actor = testActor(['OPERATOR'], { id: name, tenantId, tenantSlug: 'demo', orgId: name, wallet, wallets: [wallet], ...changes });
  }

  async function send(path: string, init: RequestInit): Promise<{ status: number; body: Json; type: string | null }> {
    const response = await fetch(base + path, init);
    return { status: response.status, body: (await response.json()) as Json, type: response.headers.get('content-type') };
  }
  const postText = (path: string, text: string) =>
    send(path, { method: 'POST', body: text, headers: { 'content-type': 'application/json' } });
  const post = (path: string, body: unknown) => postText(path, JSON.stringify(body));
  const get = (path: string) => send(path, {});
  const events = (): Promise<Json[]> =>
    db.unitOfWork.inTransaction({ tenantId }, (tx) => tx.sql('select * from traceability.event order by created_at, id'));

  const lastCall = (): { method: string; args: any[] } => ({ ...chain.asked.at(-1)!, args: [...chain.asked.at(-1)!.args] });

  /** The call that was prepared last lands unchanged, and its logs are applied. */
  async function land(id: string, payload: Json): Promise<void> {
    const { method, args } = lastCall();
    const from = book.mine().blockNumber;
    const by = { id, processType: payload.processType as string, actor: actor.wallet! };
    if (method === 'retire') {
      const [tokenIds, quantities, reason, e] = args as [bigint[], bigint[], number, { dataHash: Hex; eventId: Hex }];
      book.record({ ...by, dataHash: e.dataHash, inputs: tokenIds });
      book.send('LotsRetired', { actor: actor.wallet!, reason, eventId: e.eventId, tokenIds, quantities, dataHash: e.dataHash });
    } else {
      const [, , inputs, consumed, outputs, mode, dataHash] = args as [Hex, Hex, bigint[], bigint[], Json[], 0 | 1 | 2, Hex];
      const tlcs = [payload.outputTlc, ...(payload.metadata.coProducts ?? []).map((line: Json) => line.tlc)] as string[];
      book.record({
        ...{ ...by, dataHash, mode, inputs, consumed },
        outputs: outputs.map((output, i) => ({
          tlc: tlcs[i]!,
          tlcHash: output.tlcHash as Hex,
          assetType: Object.keys(assetTypes).find((key) => keccakOf(key) === output.assetType)!,
          custodian: output.custodian as string,
          quantity: output.quantity as bigint,
          expiresAt: output.expiresAt as bigint,
        })),
      });
    }
    await project(from);
  }
  const assetTypes = Object.assign({}, ...processMapTemplates.map((map) => map.assetTypes)) as Json;
  const project = (from: number) => db.unitOfWork.inTransaction({ tenantId }, (tx) => handler.apply(tx, book.batch(from)));

  async function handOver(tlcs: readonly string[], from: string, to: string): Promise<void> {
    const block = book.mine().blockNumber;
    const tokenIds = tlcs.map((tlc) => book.token(tlc));
    book.accept(book.offer(tokenIds, walletOf(from), walletOf(to)), tokenIds, walletOf(from), walletOf(to));
    await project(block);
  }

  const payloadOf = (stage: ScenarioStep | Json): Json => ({
    processType: stage.processType,
    ...(stage.inputTlcs!.length > 0 && { inputTokenIds: stage.inputTlcs!.map((tlc: string) => Number(book.token(tlc))) }),
    ...(stage.outputTlc && { outputTlc: stage.outputTlc }),
    metadata: stage.metadata,
  });

  /** Plays the stages before a process type. */
  async function play(key: string, until?: string): Promise<number> {
    let count = 0;
    for (const stage of scenario(key).steps) {
      if (stage.processType !== undefined && stage.processType === until) break;
      if (stage.handover) await handOver(stage.handover.tlcs, stage.handover.from, stage.handover.to);
      if (stage.custody?.action === 'offer') await handOver(stage.inputTlcs!, stage.actor!, stage.custody.to!);
      if (stage.processType === undefined || stage.custody) continue;
      be(stage.actor!);
      const payload = payloadOf(stage);
      const verdict = await post('/events/validate', payload);
      expect({ process: stage.processType, errors: verdict.body.errors }).toEqual({ process: stage.processType, errors: [] });
      const prepared = await post('/events/prepare', payload);
      expect({ process: stage.processType, status: prepared.status }).toEqual({ process: stage.processType, status: 200 });
      await land(prepared.body.eventId, payload);
      count++;
    }
    return count;
  }

  describe('a valid event', () => {
    it('answers with the transaction, its id, its content and the code of its lot, and is stored as prepared', async () => {
      const harvest = payloadOf(stageOf('rice', 'RICE_HARVESTING'));
      const { status, body } = await post('/events/prepare', harvest);
      expect({ status, keys: Object.keys(body).toSorted() }).toEqual({
        status: 200,
        keys: ['dataHash', 'eventId', 'hints', 'ipfsCid', 'outputTlc', 'preparedTx', 'warnings'],
      });
      expect(body.preparedTx).toEqual({ to: CONTRACT, data: expect.any(String), gasEstimate: 100_000, chainId: 31_337 });
      expect(body.outputTlc).toBe('RH-20260915-A1');
      const [row] = await events();
      expect(row).toMatchObject({
        id: body.eventId,
        status: 'prepared',
        process_type: 'RICE_HARVESTING',
        kind: 'creation',
        ipfs_cid: body.ipfsCid,
        data_hash: body.dataHash,
      });
      expect(row!.expires_at).toEqual(new Date('2026-12-05T00:00:00Z'));
    });

    it('stores content whose hash is on chain, whose CID is that hash, and which has the values behind the hashes of the call', async () => {
      const harvest = payloadOf(stageOf('rice', 'RICE_HARVESTING'));
      const { body } = await post('/events/prepare', harvest);
      const bytes = (await content.get(body.ipfsCid))!;
      expect(addressOf(bytes)).toEqual({ cid: body.ipfsCid, dataHash: body.dataHash });
      const { envelope, content: words, state } = await app.get(OpenContents).open({ tenantId }, { cid: body.ipfsCid, bytes });
      expect(canonicalJson(envelope)).toBe(Buffer.from(bytes).toString());
      expect(envelope).toMatchObject({ v: 2, chainId: 31_337, contract: CONTRACT, kind: 'event', id: body.eventId });
      expect(state).toBe('open');
      expect(words).toMatchObject({
        ...{
          processType: 'RICE_HARVESTING',
          processMap: 'rice',
          processMapVersion: '1.0.0',
          processMapCid: expect.stringMatching(/^bafkrei/),
          inputTokenIds: [],
          inputs: [],
        },
        outputs: [
          { tlc: 'RH-20260915-A1', assetType: 'RICE_PADDY_WET', custodian: walletOf('farmA'), quantity: 8000, uom: 'KGM', expiresAt: null },
        ],
        ...{ outputTlc: 'RH-20260915-A1', outputCustodian: walletOf('farmA'), preparedBy: walletOf('farmA'), metadata: harvest.metadata },
      });
      const { args } = lastCall();
      expect(args[6]).toBe(body.dataHash);
      expect(args[4]).toEqual([
        {
          tlcHash: keccakOf('RH-20260915-A1'),
          assetType: keccakOf('RICE_PADDY_WET'),
          custodian: walletOf('farmA'),
          quantity: 8_000_000_000n,
          expiresAt: 0n,
        },
      ]);
    });

    it('has a hundred of its warnings and the number of the others, in the answer and in its record', async () => {
      const harvest = payloadOf(stageOf('rice', 'RICE_HARVESTING'));
      const known = Object.keys(harvest.metadata).find((name) => name.length >= 8)!;
      const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
      const mistyped = [0, 1, 2, 3, 4, 5].flatMap((i) => letters.map((letter) => known.slice(0, i) + letter + known.slice(i + 1)));
      harvest.metadata = { ...Object.fromEntries(mistyped.map((name) => [name, 1])), ...harvest.metadata };
      const { status, body } = await post('/events/prepare', harvest);
      expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
      expect(body.warnings).toHaveLength(101);
      expect(body.warnings.at(-1)).toMatch(/^\/: [1-9]\d more warnings are not listed$/);
      const [row] = await events();
      expect(row!.warnings).toEqual(body.warnings);
    });

    it('gets the next free code of the template of its process when it names none', async () => {
      await play('rice', 'RICE_MILLING');
      be('mill');
      const { outputTlc: _, ...milling } = payloadOf(stageOf('rice', 'RICE_MILLING'));
      expect((await post('/events/prepare', milling)).body.outputTlc).toBe('RM-20260920-01');
      const second = await post('/events/prepare', milling);
      expect(second.body.outputTlc).toBe('RM-20260920-02');
      expect(second.body.warnings.filter((line: string) => line.includes('another prepared event'))).toHaveLength(4); // three co-products and the lot
    });
  });

  describe('codes that the service makes', () => {
    const harvest = () => {
      be('farmA');
      const { outputTlc: _, ...event } = payloadOf(stageOf('rice', 'RICE_HARVESTING'));
      return { ...event, metadata: { ...event.metadata, fieldName: 'A1' } };
    };
    const codeOf = async (event: Json): Promise<string> => (await post('/events/prepare', event)).body.outputTlc;

    it('are different for requests at the same time', async () => {
      const codes = await Promise.all(Array.from({ length: 8 }, () => codeOf(harvest())));
      expect(new Set(codes).size).toBe(8);
      expect(codes.toSorted()[0]).toBe('RH-20260915-A1');
      expect(codes.filter((code) => /^RH-20260915-A1(X[2-8])?$/.test(code))).toHaveLength(8);
    });

    it('of an item differ by its serial number alone, and the search for one that exists ends', async () => {
      const item = (serial: string) => {
        const event = harvest();
        return { ...event, metadata: { ...event.metadata, gtin: '09520123450021', serial, quantity: { value: 1, uom: 'H87' } } };
      };
      expect(await post('/events/prepare', item('S1'))).toMatchObject({ status: 200, body: { outputTlc: 'RH-20260915-A1' } });
      const again = await post('/events/prepare', item('S1'));
      expect([again.body.outputTlc, again.body.warnings.some((line: string) => line.includes('another prepared event'))]).toEqual([
        'RH-20260915-A1',
        true,
      ]);
      const { body } = await post('/events/prepare/batch', { events: [item('S2'), item('S3')] });
      expect(body).toMatchObject({ prepared: 2 });
      const made = (await events()).map(({ outputs }) => outputs[0] as Json).toSorted((one, other) => (one['key'] < other['key'] ? -1 : 1));
      expect(made.map(({ tlc, key }) => [tlc, key])).toEqual(
        ['S1', 'S1', 'S2', 'S3'].map((serial) => ['RH-20260915-A1', `https://id.gs1.org/01/09520123450021/21/${serial}`]),
      );
    });

    it('are not given away again when their event is withdrawn, and are when it was never prepared', async () => {
      const first = await post('/events/prepare', harvest());
      await fetch(`${base}/events/${first.body.eventId}`, { method: 'DELETE' });
      const bad = harvest();
      expect((await post('/events/prepare', { ...bad, metadata: { ...bad.metadata, quantity: { value: -1, uom: 'KGM' } } })).status).toBe(
        422,
      );
      expect(await codeOf(harvest())).toBe('RH-20260915-A1X2');
    });
  });

  it.each([
    ['rice', 8],
    ['wool', 9],
  ])('plays the %s value chain through validate, prepare and landing', async (key, count) => {
    expect(await play(key)).toBe(count);
    const rows = await events();
    expect(rows.map((row) => [row.process_type, row.status, row.calldata_mismatch])).toEqual(
      rows.map((row) => [row.process_type, 'recorded', false]),
    );
  });

  it('uses the stated quantity, the whole rest when none is stated, and nothing for an observation', async () => {
    await play('wool', 'wool_spinning');
    be('scourer');
    const { args } = lastCall();
    expect(args[3]).toEqual([0n]); // the inspection
    be('spinner');
    const spinning = payloadOf(stageOf('wool', 'wool_spinning'));
    expect((await post('/events/prepare', spinning)).status).toBe(200);
    expect(lastCall().args[3]).toEqual([1_000_000_000n]);
  });

  it('retires what is disposed of, with its event', async () => {
    await play('rice', 'RICE_DISPOSAL');
    be('mill');
    expect((await post('/events/prepare', payloadOf(stageOf('rice', 'RICE_DISPOSAL')))).status).toBe(200);
    const { method, args } = lastCall();
    expect(method).toBe('retire');
    expect(args.slice(0, 3)).toEqual([[book.token('RM-20260920-01H')], [2_155_000_000n], 3]);
    expect(MAX_UINT256).toBeGreaterThan(args[1][0]);
  });

  describe('bad input is refused with a code and the place, and leaves nothing behind', () => {
    let before: number;
    beforeEach(async () => {
      await play('rice', 'RICE_MILLING');
      be('mill');
      before = (await events()).length;
    });
    const milling = () => payloadOf(stageOf('rice', 'RICE_MILLING'));
    const refused = async (answer: Promise<{ status: number; body: Json; type: string | null }>) => {
      const puts = content.size;
      const { status, body, type } = await answer;
      expect(type).toMatch(/^application\/problem\+json/);
      expect({ events: (await events()).length, content: content.size }).toEqual({ events: before, content: puts });
      return { status, code: body.code, errors: (body.errors ?? []).map((error: Json) => `${error.code} ${error.pointer}`) };
    };

    it('no JSON', async () =>
      expect(await refused(postText('/events/prepare', '{'))).toMatchObject({ status: 400, code: 'malformed_request' }));
    it('no object', async () => expect(await refused(postText('/events/prepare', '[]'))).toMatchObject({ status: 400 }));
    it('an unknown field', async () =>
      expect(await refused(post('/events/prepare', { ...milling(), outputTcl: 'x' }))).toMatchObject({
        status: 400,
        errors: [expect.stringMatching(/ \/outputTcl$/)],
      }));
    it('a token id that is no safe integer', async () =>
      expect(await refused(post('/events/prepare', { ...milling(), inputTokenIds: [2 ** 53] }))).toMatchObject({
        status: 400,
        errors: [expect.stringMatching(/ \/inputTokenIds(\/0)?$/)],
      }));
    it('a token id that does not exist or is of another tenant', async () => {
      const payload: Json = { ...milling(), inputTokenIds: [77] };
      payload.metadata.inputs = [{ tokenId: 77, quantity: { value: 1, uom: 'KGM' } }];
      expect(await refused(post('/events/prepare', payload))).toEqual({
        status: 422,
        code: 'invalid_content',
        errors: ['lot_not_found /inputTokenIds/0'],
      });
    });
    it('a lot of another holder', async () => {
      be('farmA');
      expect(await refused(post('/events/prepare', milling()))).toMatchObject({ status: 422, errors: ['not_custodian /inputTokenIds/0'] });
    });
    it('a quantity above what is left', async () => {
      const payload = milling();
      payload.metadata.inputs[0].quantity.value = 10_775.000001;
      expect(await refused(post('/events/prepare', payload))).toEqual({
        status: 422,
        code: 'invalid_content',
        errors: ['over_consumption /metadata/inputs/0/quantity/value'],
      });
    });
    it('more decimals than there can be', async () => {
      const payload = milling();
      payload.metadata.inputs[0].quantity.value = 0.0000001;
      expect(await refused(post('/events/prepare', payload))).toMatchObject({
        status: 422,
        errors: ['quantity_out_of_range /metadata/inputs/0/quantity/value'],
      });
    });
    it('a unit that does not convert', async () => {
      const payload = milling();
      payload.metadata.inputs[0].quantity.uom = 'LTR';
      expect(await refused(post('/events/prepare', payload))).toMatchObject({
        status: 422,
        errors: ['unit_not_convertible /metadata/inputs/0/quantity/uom'],
      });
    });
    it('a code that a landed lot has', async () => {
      const payload = milling();
      payload.metadata.coProducts[0].tlc = 'RD-20260917-01';
      expect(await refused(post('/events/prepare', payload))).toEqual({
        status: 409,
        code: 'tlc_taken',
        errors: ['tlc_taken /metadata/coProducts/0/tlc'],
      });
    });
    it('a lower-case address', async () =>
      expect(await refused(post('/events/prepare', { ...milling(), outputCustodian: walletOf('mill').toLowerCase() }))).toMatchObject({
        status: 422,
        errors: ['bad_address /outputCustodian'],
      }));
    it('half of a surrogate pair', async () => {
      const payload = milling();
      payload.metadata.workOrder = 'X';
      expect(
        await refused(postText('/events/prepare', JSON.stringify(payload).replace('"workOrder":"X"', String.raw`"workOrder":"\ud83d"`))),
      ).toMatchObject({
        status: 422,
        errors: ['lone_surrogate /metadata/workOrder'],
      });
    });
    it('an integer that JSON has already rounded', async () => {
      const payload = milling();
      payload.metadata.batch = 2 ** 53 + 2;
      expect(await refused(post('/events/prepare', payload))).toMatchObject({ status: 422, errors: ['unsafe_integer /metadata/batch'] });
    });
    it('the character U+0000', async () => {
      const payload = milling();
      payload.metadata.note = 'a\u0000b';
      expect(await refused(post('/events/prepare', payload))).toMatchObject({ status: 422, errors: ['nul_character /metadata/note'] });
    });
    it('metadata over 256 KiB', async () => {
      const payload = milling();
      payload.metadata.note = 'x'.repeat(256 * 1024);
      expect(await refused(post('/events/prepare', payload))).toMatchObject({ status: 422, errors: ['content_too_large /metadata'] });
    });
    it('a body over 1 MiB', async () =>
      expect(await refused(postText('/events/prepare', `{"metadata":{"x":"${'x'.repeat(1_100_000)}"}}`))).toMatchObject({ status: 413 }));
    it('an input that is not final', async () => {
      finalBlock = 0;
      expect(await refused(post('/events/prepare', milling()))).toMatchObject({
        status: 409,
        code: 'input_not_final',
        errors: ['input_not_final /inputTokenIds/0'],
      });
    });
    it('what the chain would revert', async () => {
      chain.refusal = new DomainError('tx_would_revert', 422, 'it would revert', {});
      expect(await refused(post('/events/prepare', milling()))).toMatchObject({ status: 422, code: 'tx_would_revert' });
    });
    it('a sender other than the caller', async () =>
      expect(await refused(post('/events/prepare', { ...milling(), from: walletOf('farmA') }))).toMatchObject({
        status: 403,
        code: 'foreign_sender',
      }));
    it('a process outside the scope, before anything else', async () => {
      be('mill', { roleScopes: { OPERATOR: ['wool_*'] } });
      expect(await refused(post('/events/prepare', { ...milling(), inputTokenIds: [77] }))).toMatchObject({
        status: 403,
        code: 'process_out_of_scope',
      });
      expect((await post('/events/validate', milling())).status).toBe(403);
    });
  });

  describe('validate', () => {
    it.each([{}, { processType: 5 }, { metadata: [] }, { processType: 'RICE_MILLING' }, { processType: 'NO\u0000', metadata: {} }])(
      'judges %j',
      async (body) => {
        const { status, body: verdict } = await post('/events/validate', body);
        expect({ status, valid: verdict.valid }).toEqual({ status: 200, valid: false });
        expect(verdict.errors.every((line: string) => /^\/\S*: ./.test(line))).toBe(true);
        expect(verdict.issues).toHaveLength(verdict.errors.length + verdict.warnings.length);
      },
    );
    it.each(['[]', '"x"', '5', 'null', ''])('refuses the body %s', async (body) =>
      expect((await postText('/events/validate', body)).status).toBe(400),
    );

    it('names the place by pointers into the metadata, and suggests the right field name', async () => {
      const harvest = payloadOf(stageOf('rice', 'RICE_HARVESTING'));
      harvest.metadata.quantity.uom = 'kg';
      harvest.metadata.sesaon = 'x';
      const { body } = await post('/events/validate', harvest);
      expect(body.errors).toEqual(['/quantity/uom: must match ^[A-Z0-9]{2,3}$']);
      expect(body.warnings).toContain('/sesaon: did you mean season?');
      expect(body.issues[0]).toEqual({
        pointer: '/metadata/quantity/uom',
        code: 'pattern_mismatch',
        message: 'must match ^[A-Z0-9]{2,3}$',
        severity: 'error',
      });
      const typo = await post('/events/validate', { ...harvest, processType: 'RICE_HARVESTNG' });
      expect(typo.body.errors).toEqual(['/processType: there is no process RICE_HARVESTNG; did you mean RICE_HARVESTING?']);
    });

    it('warns about a lot of another wallet of the organisation, and refuses a lot of another organisation', async () => {
      const { eventId } = (await post('/events/prepare', payloadOf(stageOf('rice', 'RICE_HARVESTING')))).body;
      await land(eventId as string, payloadOf(stageOf('rice', 'RICE_HARVESTING')));
      const drying = payloadOf({ ...stageOf('rice', 'RICE_DRYING'), inputTlcs: ['RH-20260915-A1'] });
      drying.metadata.inputs.pop();
      be('farmA2', { orgId: 'farmA' });
      const colleague = await post('/events/validate', drying);
      expect(colleague.body).toMatchObject({
        valid: true,
        warnings: expect.arrayContaining([expect.stringMatching(/^\/inputTokenIds\/0: .*another wallet of your organisation/)]),
      });
      be('mill');
      expect((await post('/events/validate', drying)).body.issues).toContainEqual(
        expect.objectContaining({ code: 'not_custodian', severity: 'error' }),
      );
    });

    it('leaves nothing behind', async () => {
      await post('/events/validate', payloadOf(stageOf('rice', 'RICE_HARVESTING')));
      expect(await events()).toEqual([]);
    });
  });

  describe('process maps', () => {
    const rice = () => structuredClone(processMapTemplates.find((map) => map.key === 'rice')!) as Json;
    beforeEach(() => be('admin', { roles: ['TENANT_ADMIN'] }));

    it('are listed and read in any version, with the document as it was published', async () => {
      const minor = { ...rice(), version: '1.1.0', name: 'Rice, again' };
      expect((await post('/process-maps', minor)).status).toBe(201);
      expect((await get('/process-maps')).body).toMatchObject({
        total: 4,
        data: [{ name: 'leafy-greens' }, { name: 'rice', version: '1.1.0' }, { name: 'seafood' }, { name: 'wool' }],
      });
      expect((await get('/process-maps/rice')).body).toMatchObject({ version: '1.1.0', versions: ['1.1.0', '1.0.0'], document: minor });
      expect((await get('/process-maps/rice?version=1.0.0')).body.document).toEqual(rice());
      expect(await get('/process-maps/rice?version=9.9.9')).toMatchObject({ status: 404, body: { code: 'process_map_not_found' } });
      expect((await get('/process-maps/%00')).status).toBe(400);
    });

    it('never change: the same version returns the same publication, or a conflict if its content differs; a lower version is a conflict', async () => {
      expect(await post('/process-maps', rice())).toMatchObject({ status: 201, body: { version: '1.0.0' } });
      expect(await post('/process-maps', { ...rice(), name: 'Other' })).toMatchObject({
        status: 409,
        body: { code: 'process_map_exists' },
      });
      expect(await post('/process-maps', { ...rice(), version: '0.9.0' })).toMatchObject({
        status: 409,
        body: { code: 'process_map_outdated' },
      });
    });

    it('do not break older payloads below a major version', async () => {
      const stricter: Json = { ...rice(), version: '1.1.0' };
      stricter.processes.RICE_HARVESTING.metadataSchema.required.push('season');
      expect(await post('/process-maps', stricter)).toMatchObject({
        status: 422,
        body: { errors: [{ code: 'breaking_change', pointer: '/processes/RICE_HARVESTING/metadataSchema/required' }] },
      });
      expect((await post('/process-maps', { ...stricter, version: '2.0.0' })).status).toBe(201);
      be('farmA');
      const harvest = payloadOf(stageOf('rice', 'RICE_HARVESTING'));
      delete harvest.metadata.season;
      expect((await post('/events/validate', harvest)).body.errors).toEqual(['/season: is required']);
    });

    it('are checked before publishing, and nothing is published', async () => {
      const minor = { ...rice(), version: '1.2.0' };
      const before = (await get('/process-maps/rice')).body;
      expect(await post('/process-maps/validate', minor)).toMatchObject({ status: 200, body: { version: '1.2.0', published: false } });
      expect(await post('/process-maps/validate', before.document)).toMatchObject({
        status: 200,
        body: { cid: before.cid, publishedAt: before.publishedAt, published: true },
      });
      expect(await post('/process-maps/validate', { ...rice(), version: '0.9.0' })).toMatchObject({
        status: 409,
        body: { code: 'process_map_outdated' },
      });
      expect(await post('/process-maps/validate', { version: '1.2.0' })).toMatchObject({ status: 422, body: { code: 'invalid_content' } });
      const asked = { document: minor, processType: 'RICE_MILLING' };
      expect(await post('/process-maps/try', { ...asked, metadata: { quantity: { value: 'much' } } })).toMatchObject({
        status: 200,
        body: { valid: false, issues: expect.arrayContaining([expect.objectContaining({ pointer: '/metadata/quantity/value' })]) },
      });
      expect(await post('/process-maps/try', { ...asked, processType: 'RICE_FLYING', metadata: {} })).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: '/processType', code: 'unknown_process' }] },
      });
      expect(await post('/process-maps/try', { ...asked, document: { version: '1.2.0' }, metadata: {} })).toMatchObject({ status: 422 });
      expect((await get('/process-maps/rice')).body).toEqual(before);
    });

    it.each<[string, () => Json]>([
      ['more than 256 KiB', () => ({ ...rice(), $defs: { ...rice().$defs, long: { $comment: 'a'.repeat(256 * 1024) } } })],
      ['more than 25,000 values', () => ({ ...rice(), $defs: { ...rice().$defs, wide: { examples: Array(25_000).fill(0) } } })],
    ])('of %s are refused as a whole', async (_, map) => {
      const refusal = { status: 422, body: { code: 'invalid_content', errors: [{ code: 'too_large', pointer: '' }] } };
      expect(await post('/process-maps/validate', map())).toMatchObject(refusal);
      expect(await post('/process-maps', { ...map(), version: '1.1.0' })).toMatchObject(refusal);
    });

    it('have versions that can be compared, and publish more', async () => {
      expect(await post('/process-maps', { ...rice(), version: '99999999999999999999.0.0' })).toMatchObject({
        status: 422,
        body: { errors: [{ code: 'pattern_mismatch', pointer: '/version' }] },
      });
      for (const version of ['999999998.0.0', '999999999.0.0'])
        expect(await post('/process-maps', { ...rice(), version })).toMatchObject({ status: 201, body: { version } });
      expect(await post('/process-maps', { ...rice(), version: '2.0.0' })).toMatchObject({ status: 409 });
    });

    it('are listed without their documents, as they were published, a page at a time', async () => {
      const { processes: declared, name: title } = rice();
      const { body } = await get('/process-maps?limit=1&page=2');
      const { body: one } = await get('/process-maps/rice');
      expect(body).toMatchObject({ total: 4, page: 2, limit: 1, data: [{ name: 'rice', title, version: '1.0.0' }] });
      expect(one).toMatchObject(body.data[0]);
      expect(body.data[0]).not.toHaveProperty('document');
      expect(body.data[0].processes.map(({ processType }: Json) => processType).sort()).toEqual(Object.keys(declared).sort());
    });

    it('have unique process types in the tenant, ignoring case', async () => {
      const other: Json = { ...rice(), key: 'other' };
      other.processes = { rice_harvesting: other.processes.RICE_HARVESTING };
      expect(await post('/process-maps', other)).toMatchObject({ status: 409, body: { code: 'process_type_taken' } });
    });

    it('are published once when many requests send them at the same time', async () => {
      const minor = { ...rice(), version: '1.0.1', name: 'Rice, labelled' };
      const answers = await Promise.all(Array.from({ length: 20 }, () => post('/process-maps', minor)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
      expect((await get('/process-maps/rice')).body.versions).toEqual(['1.0.1', '1.0.0']);
    });
  });
});
