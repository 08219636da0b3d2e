import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UnitOfWork } from '#persistence';
import { type Issued, issueCertificate } from '../harness/certificates.js';
import { eventually } from '../harness/eventually.js';
import { RegistrySimulator } from '../harness/registry-simulator.js';
import { type CellMaker, GTIN } from './dpp-world.js';
import type { Json } from './rice-trade.js';

const DAY_MS = 86_400_000;
const pem = (...issued: readonly Issued[]): string => issued.map(({ certificate }) => certificate.toString('pem')).join('\n');
const urnOf = (id: string): string => `urn:uuid:${id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`;

/** Passports in a registry, which the simulator plays. */
export function dppRegistrySuite(makerOf: () => CellMaker): void {
  describe('that are registered', () => {
    let maker: CellMaker;
    let simulator: RegistrySimulator;
    let root: Issued;
    let seal: Issued;
    let stranger: Issued;
    let id: string;

    const put = async (more: object = {}, as = maker.admin): Promise<Json> => {
      const body = {
        url: simulator.url,
        backUpUrl: 'https://back-up.example/rice/',
        certificateChain: pem(seal, root),
        sealKey: seal.keyPem,
        ...more,
      };
      const answer = await as.answer('PUT', '/api/v1/registry-settings', body);
      const said = (await answer.json()) as Json;
      return { status: answer.status, ...said };
    };
    const entriesOf = async (passport: string): Promise<Json[]> =>
      (await maker.admin.get<{ data: Json[] }>(`/api/v1/registrations?passportId=${passport}&limit=100`)).data;
    const settled = (what: string, fits: (latest: Json) => boolean): Promise<Json> =>
      eventually(what, async () => {
        const [latest] = await entriesOf(id);
        return latest && fits(latest) ? latest : undefined;
      });
    const sql = async (statement: string, values: readonly unknown[]): Promise<void> => {
      const work = maker.world.service.app.get(UnitOfWork, { strict: false });
      const [row] = await work.readAsSystem((tx) =>
        tx.sql<{ tenantId: string }>('select tenant_id as "tenantId" from passports.passport where id = $1', [id]),
      );
      await work.inTransaction(row!, (tx) => tx.sql(statement, values));
    };

    beforeAll(async () => {
      maker = makerOf();
      root = await issueCertificate({ name: 'Trust Service', ca: true });
      seal = await issueCertificate({ name: 'Rice Tenant', issuer: root });
      stranger = await issueCertificate({ name: 'Stranger', ca: true });
      simulator = await RegistrySimulator.start([root.certificate]);
      await maker.make('PACK0081');
      id = (await maker.passportOf('PACK0081'))['id'] as string;
    });
    afterAll(() => simulator.close());

    it('refuse a certificate and a key that do not fit, by code', async () => {
      const late = await issueCertificate({
        name: 'Late',
        issuer: root,
        from: new Date(Date.now() - 2 * DAY_MS),
        to: new Date(Date.now() - DAY_MS),
      });
      const early = await issueCertificate({
        name: 'Early',
        issuer: root,
        from: new Date(Date.now() + DAY_MS),
        to: new Date(Date.now() + 2 * DAY_MS),
      });
      const weak = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
      for (const [more, code] of [
        [{ certificateChain: 'x' }, 'seal_certificate_malformed'],
        [{ certificateChain: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' }, 'seal_certificate_malformed'],
        [{ certificateChain: Array.from({ length: 9 }, () => pem(root)).join('') }, 'seal_certificate_malformed'],
        [{ sealKey: 'x' }, 'seal_key_malformed'],
        [{ sealKey: weak }, 'seal_key_mismatch'],
        [{ sealKey: stranger.keyPem }, 'seal_key_mismatch'],
        [{ certificateChain: pem(root, seal) }, 'seal_key_mismatch'],
        [{ certificateChain: pem(seal, stranger) }, 'seal_chain_broken'],
        [{ certificateChain: pem(seal, seal) }, 'seal_chain_broken'],
        [{ certificateChain: pem(late, root), sealKey: late.keyPem }, 'seal_certificate_expired'],
        [{ certificateChain: pem(early, root), sealKey: early.keyPem }, 'seal_certificate_not_yet_valid'],
        [{ url: 'ftp://registry.example' }, 'registry_url_invalid'],
        [{ url: 'https://user:word@registry.example' }, 'registry_url_invalid'],
        [{ backUpUrl: 'nowhere' }, 'registry_url_invalid'],
      ] as const)
        expect([code, await put(more)]).toEqual([code, expect.objectContaining({ status: 422, code })]);
      expect((await put({}, maker.mill.api)).status).toBe(403);
      expect((await maker.admin.answer('GET', '/api/v1/registry-settings')).status).toBe(404);
      expect(simulator.requests).toBe(0);
    });

    it('have an entry that the registry verifies: identifiers, version hash and back-up, sealed by the tenant', async () => {
      const set = await put();
      expect(set).toMatchObject({ status: 200, subject: expect.stringContaining('Rice Tenant'), fault: null, url: simulator.url });
      expect(JSON.stringify(set)).not.toContain('PRIVATE');
      const registered = await settled('it is registered', ({ state }) => state === 'registered');
      const { data } = await maker.admin.get<{ data: Json[] }>(`/api/v1/passports/${id}/versions`);
      expect(registered).toMatchObject({ action: 'register', attempts: 1, registrationId: expect.stringMatching(/^R-/), reason: null });
      expect(simulator.of(urnOf(id))).toEqual(registered['entry']);
      expect(registered['entry']).toMatchObject({
        ...{
          digitalProductPassportId: urnOf(id),
          uniqueProductIdentifier: `https://id.gs1.org/01/${GTIN}/21/PACK0081`,
          granularity: 'item',
        },
        ...{ version: data[0]!['version'], versionHash: { algorithm: 'sha-256', value: data[0]!['hash'] }, commodityCode: null },
        ...{ economicOperatorId: expect.any(String), facilityId: expect.any(String) },
        backUpLink: `https://back-up.example/rice/v1/dpps/${id}`,
      });
      expect((await maker.mill.api.answer('GET', '/api/v1/registrations')).status).toBe(403);
    });

    it('have a key that nobody can read, not in the database and not in the audit log', async () => {
      const work = maker.world.service.app.get(UnitOfWork, { strict: false });
      const rows = await work.readAsSystem((tx) => tx.sql<{ key: string }>('select seal_key as key from passports.registry_setting'));
      const { data } = await maker.admin.get<{ data: Json[] }>('/api/v1/audit?limit=100');
      expect(data.map(({ action }) => action as string)).toContain('passports.registry_changed');
      expect(JSON.stringify([rows, data])).not.toMatch(/PRIVATE KEY/);
      expect(rows).toHaveLength(1);
    });

    it('are registered again with each version, tried again after an outage, and taken out when they are withdrawn', async () => {
      const { data } = await maker.admin.get<{ data: Json[] }>('/api/v1/events?tlc=PACK0081');
      const corrected = { metadata: { ...data[0]!['metadata'], health: 60 } };
      simulator.outages.push(503);
      const prepared = await maker.wallet.api.post<Json>(`/api/v1/events/${data[0]!['id']}/supersede/prepare`, corrected);
      await maker.wallet.land(prepared['preparedTx'], 'test');
      const waiting = await settled('an attempt failed', (latest) => latest['reasonCode'] === 'out_of_order');
      expect(waiting).toMatchObject({ state: 'waiting', version: 2, attempts: 1, reason: 'Try again later.' });
      await sql('update passports.registration set next_attempt_at = now() where passport_id = $1', [id]);
      expect(await settled('it is sent again', ({ state }) => state === 'registered')).toMatchObject({ version: 2, attempts: 2 });
      await maker.admin.post(`/api/v1/passports/${id}/withdraw`, { reason: 'test' });
      const gone = await settled('it is withdrawn', ({ action, state }) => action === 'withdraw' && state === 'registered');
      expect(gone).toMatchObject({ version: 2, number: 3 });
      await maker.admin.post(`/api/v1/passports/${id}/reinstate`);
      await settled('it is back', ({ action, state, number }) => action === 'register' && state === 'registered' && number === 4);
      const sent = simulator.kept.filter((entry) => entry.digitalProductPassportId === urnOf(id));
      expect(sent.map(({ action, version }) => `${action} ${version}`)).toEqual(['register 1', 'register 2', 'withdraw 2', 'register 2']);
    });

    it('are refused with the reason of the registry, and sent again under another seal', async () => {
      await maker.make('PACK0082');
      await put({ certificateChain: pem(stranger), sealKey: stranger.keyPem });
      id = (await maker.passportOf('PACK0082'))['id'] as string;
      const refused = await settled('it is refused', ({ state }) => state === 'refused');
      expect(refused).toMatchObject({ reasonCode: 'seal_untrusted', reason: 'Nobody who is trusted issued this certificate.' });
      const { data } = await maker.admin.get<{ data: Json[] }>('/api/v1/registrations?state=refused');
      expect(data.map(({ passportId }) => passportId as string)).toContain(id);
      await put();
      await settled('it is registered', ({ state, number }) => state === 'registered' && number === 2);
    });

    it('wait while the registry is at an inner address, or none is set: then they are a batch file', async () => {
      await put({ url: 'http://10.0.0.1/registrations' });
      await maker.make('PACK0083');
      id = (await maker.passportOf('PACK0083'))['id'] as string;
      expect(await settled('it was tried', ({ attempts }) => attempts === 1)).toMatchObject({
        state: 'waiting',
        reasonCode: 'not_allowed',
      });
      await put({ url: null });
      const { format, entries } = await maker.admin.get<{ format: string; entries: { entry: string; seal: string }[] }>(
        '/api/v1/registrations/batch',
      );
      const { entry, seal: signature } = entries.find((one) => one.entry.includes(urnOf(id)))!;
      expect([format, await simulator.faultOf(entry, signature)]).toEqual(['traceability-registrations/1', null]);
      expect(await simulator.faultOf(entry.replace('PACK0083', 'PACK0084'), signature)).toEqual(['seal_invalid', expect.any(String)]);
      expect(
        await simulator.faultOf(
          entry,
          signature.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')),
        ),
      ).not.toBeNull();
    });

    it('leave the batch file when its outcomes are known, all or none, and name a back-up that moved', async () => {
      await put({ url: null, backUpUrl: 'https://moved.example' });
      const moved = await settled('an entry names the new back-up', ({ number }) => number === 2);
      expect(moved).toMatchObject({ version: 1, state: 'waiting', entry: { backUpLink: `https://moved.example/v1/dpps/${id}` } });
      const batch = async (): Promise<Json[]> =>
        (await maker.admin.get<{ entries: Json[] }>('/api/v1/registrations/batch')).entries.filter(({ passportId }) => passportId === id);
      expect((await batch()).map(({ number }) => number as number)).toEqual([1, 2]);
      const post = async (outcomes: readonly object[], as = maker.admin): Promise<Json> => {
        const answer = await as.answer('POST', '/api/v1/registrations/outcomes', { outcomes });
        return { status: answer.status, ...((await answer.json()) as Json) };
      };
      const [one, two] = [
        { passportId: id, number: 1, registrationId: 'R-FILE-1' },
        { passportId: id, number: 2, code: 'operator_unknown', message: 'Who?' },
      ] as const;
      const refused = (pointer: string, code: string): object =>
        expect.objectContaining({ status: 422, errors: [expect.objectContaining({ pointer, code })] });
      for (const [outcomes, pointer, code] of [
        [[two], '/outcomes/0', 'registration_not_waiting'],
        [[one, one], '/outcomes/1', 'registration_not_waiting'],
        [[one, { ...two, number: 3 }], '/outcomes/1', 'registration_not_waiting'],
        [[{ ...one, passportId: '0'.repeat(32) }], '/outcomes/0', 'registration_not_waiting'],
        [[{ ...one, code: 'both' }], '/outcomes/0', 'outcome_unclear'],
        [[{ passportId: id, number: 1 }], '/outcomes/0', 'outcome_unclear'],
      ] as const)
        expect([code, await post(outcomes)]).toEqual([code, refused(pointer, code)]);
      expect((await post([])).status).toBe(400);
      expect((await post([one], maker.mill.api)).status).toBe(403);
      expect(await batch()).toHaveLength(2);
      expect(await post([two, one])).toEqual({ status: 200, registered: 1, refused: 1 });
      expect(await batch()).toEqual([]);
      expect(await entriesOf(id)).toMatchObject([
        { number: 2, state: 'refused', reasonCode: 'operator_unknown', reason: 'Who?' },
        { number: 1, state: 'registered', registrationId: 'R-FILE-1' },
      ]);
      const { data } = await maker.admin.get<{ data: Json[] }>('/api/v1/audit?limit=100');
      expect(data).toContainEqual(
        expect.objectContaining({ action: 'passports.registrations_settled', details: { registered: 1, refused: 1 } }),
      );
    });

    it('wait while the certificate is out of its time, and the setting says so', async () => {
      const over = { from: new Date(Date.now() - 2 * DAY_MS), to: new Date(Date.now() - DAY_MS) };
      const expired = await issueCertificate({ name: 'Rice Tenant', issuer: root, keys: seal.keys, ...over });
      await sql('update passports.registry_setting set certificate_chain = $1', [pem(expired, root)]);
      expect(await maker.admin.get('/api/v1/registry-settings')).toMatchObject({ fault: 'seal_certificate_expired' });
      await maker.make('PACK0085');
      id = (await maker.passportOf('PACK0085'))['id'] as string;
      await eventually('a version', async () => ((await maker.versionsOf(id)).length === 1 ? true : undefined));
      expect(await entriesOf(id)).toEqual([]);
      await put();
      await settled('it is registered', ({ state }) => state === 'registered');
      expect((await maker.admin.answer('DELETE', '/api/v1/registry-settings')).status).toBe(204);
      expect((await maker.admin.answer('GET', '/api/v1/registry-settings')).status).toBe(404);
    });
  });
}
