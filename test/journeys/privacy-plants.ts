import type { World } from '../harness/world.js';
import { eventually } from '../harness/eventually.js';
import type { Json, RiceTrade } from './rice-trade.js';

/** Scalars of an object by their pointers. */
export function scalarsOf(value: unknown, pointer: string): { to: string; value: { is: unknown } }[] {
  if (typeof value !== 'object' || value === null) return [{ to: pointer, value: { is: value } }];
  return Object.entries(value).flatMap(([name, inner]) => scalarsOf(inner, `${pointer}/${name}`));
}

/** What repeats a person outside of recorded events. */
export interface Plants {
  /** An event that fits no process, and is kept as it came. */
  readonly kept: string;
  /** A spreadsheet with a row that became an event. */
  readonly importId: string;
  readonly importedId: string;
  readonly documentId: string;
}

/** Prepares calls whose notes name a person. @returns CIDs of those that an erasure takes, and of the notice of a recall */
export async function notesOf(
  trade: RiceTrade,
  name: string,
  tlc: string,
): Promise<{ readonly erasable: string[]; readonly notice: string }> {
  const tokenId = await trade.tokenOf(tlc);
  const { mintEventId } = await trade.api.get<Json>(`/api/v1/nfts/${tokenId}`);
  const metadata = { driver: { said: `by ${name}` } };
  // Too long for the row of its keys: a search opens its block.
  const long = { ...metadata, remark: 'Seals checked. '.repeat(400) };
  const api = trade.farmA.api;
  const notes = [
    await trade.custody(trade.farmA, { tokenIds: [tokenId], to: trade.mill.address, metadata: long }),
    await api.post<Json>(`/api/v1/nfts/${tokenId}/retire/prepare`, { reason: 'destroyed', metadata }),
    await trade.api.post<Json>(`/api/v1/events/${mintEventId as string}/void/prepare`, { reason: 'did_not_occur', metadata }),
  ];
  const notice = await trade.api.post<Json>(`/api/v1/nfts/${tokenId}/recall/prepare`, { reason: `found by ${name}` });
  return { erasable: notes.map(({ ipfsCid }) => ipfsCid as string), notice: notice['ipfsCid'] as string };
}

/** Puts a person into each place that keeps what was sent: kept EPCIS events, files and rows of imports, names of documents. */
export class PersonPlants {
  private token = '';

  constructor(private readonly world: World) {}

  async plant(name: string, metadata: Json): Promise<Plants> {
    const { email, password } = this.world.tenant('rice').admin;
    const login = await this.send('POST', '/api/v2/auth/login', { email, password });
    this.token = login['accessToken'] as string;
    const kept = await this.keptEvent(name);
    const { importId, importedId } = await this.imported(name, metadata);
    const document = await this.form('/api/v1/documents', new Blob(['%PDF-1.7 x\n']), `${name}.pdf`, { number: `by ${name}` });
    return { kept, importId, importedId, documentId: document['id'] as string };
  }

  async status(path: string): Promise<number> {
    return (await fetch(this.world.baseUrl + path, { headers: this.headers() })).status;
  }

  async delete(path: string): Promise<number> {
    return (await fetch(this.world.baseUrl + path, { method: 'DELETE', headers: this.headers() })).status;
  }

  private headers(): Record<string, string> {
    return this.token === '' ? {} : { authorization: `Bearer ${this.token}` };
  }

  private async send(method: string, path: string, body?: object): Promise<Json> {
    const answer = await fetch(this.world.baseUrl + path, {
      method,
      headers: { ...this.headers(), ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Json;
  }

  private async form(path: string, file: Blob, name: string, fields: Readonly<Record<string, string>>): Promise<Json> {
    const form = new FormData();
    form.set('file', file, name);
    for (const [key, value] of Object.entries(fields)) form.set(key, value);
    const answer = await fetch(this.world.baseUrl + path, { method: 'POST', headers: this.headers(), body: form });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Json;
  }

  private async keptEvent(name: string): Promise<string> {
    const eventID = 'https://partner.example/events/of-a-person';
    const event = {
      ...{ type: 'ObjectEvent', action: 'OBSERVE', eventID, eventTime: '2026-10-01T10:00:00Z', eventTimeZoneOffset: '+02:00' },
      ...{ bizStep: 'shipping', epcList: ['urn:epc:id:sgtin:0614141.107346.2017'], 'ext:driver': name, 'ext:note': `seen by ${name}` },
    };
    const contexts = ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld', { ext: 'https://ext.example/' }];
    const document = { '@context': contexts, type: 'EPCISDocument', schemaVersion: '2.0', creationDate: '2026-11-28T00:00:00Z' };
    const { captureID } = await this.send('POST', '/epcis/rice/capture', { ...document, epcisBody: { eventList: [event] } });
    await eventually('the capture has finished', async () => {
      const { running } = await this.send('GET', `/epcis/rice/capture/${captureID as string}`);
      return running === false;
    });
    return eventID;
  }

  private async imported(name: string, metadata: Json): Promise<Pick<Plants, 'importId' | 'importedId'>> {
    const { harvester, quantity, ...rest } = metadata;
    const { name: _, ...others } = harvester as Json;
    const mapping = {
      processType: 'RICE_HARVESTING',
      columns: [
        { column: 'Lot', to: '/outputTlc', as: 'text' },
        { column: 'By', to: '/metadata/harvester/name', as: 'text' },
      ],
      constants: scalarsOf({ ...rest, quantity, harvester: others }, '/metadata'),
    };
    // A row that is wrong is not prepared, and its problem may repeat what it says.
    const file = new Blob([`Lot;By\nRH-20261101-P5;${name}\nno code;${name}\n`]);
    const { id } = await this.form('/api/v1/imports', file, `${name}.csv`, { processType: 'RICE_HARVESTING' });
    const importId = id as string;
    await this.ended(importId);
    await this.send('POST', `/api/v1/imports/${importId}/check`, { mapping });
    await this.ended(importId);
    await this.send('POST', `/api/v1/imports/${importId}/prepare`, { rows: 'valid' });
    await this.ended(importId);
    const { data } = await this.send('GET', `/api/v1/imports/${importId}/events`);
    return { importId, importedId: (data as Json[])[0]!['eventId'] as string };
  }

  private async ended(id: string): Promise<void> {
    await eventually(`the end of import ${id}`, async () => {
      const { state } = await this.send('GET', `/api/v1/imports/${id}`);
      return !['waiting', 'running'].includes(state as string);
    });
  }
}
