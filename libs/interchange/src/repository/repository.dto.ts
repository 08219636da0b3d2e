import { type VaryingReply, malformedRequest, negotiate, vary } from '#http';
import { tenantNotFound } from '#identity';
import type { Actor, Problem } from '#kernel';
import { documentAround } from '../epcis/epcis-event.js';
import { type Naming, namespaceOf } from '../epcis/identifiers.js';
import type { Json } from '../epcis/json.js';
import { type XmlHead, documentXml } from '../xml/epcis-xml.js';
import type { XmlVersion } from '../xml/event-to-xml.js';
import type { CaptureJob, CapturedOutcome } from './capture-jobs.queries.js';
import type { FoundPage, PageRequest } from './find-epcis-events.js';
import { located, queryDocumentText } from './query-document.js';
import { type Parameters, type SimpleQuery, readQuery } from './simple-query.js';

/** A reply whose headers a route sets. */
export interface HeaderReply extends VaryingReply {
  code(status: number): HeaderReply;
  header(name: string, value: string): HeaderReply;
}

export interface EpcisRequest {
  readonly url: string;
  readonly publicOrigin: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly query: Readonly<Record<string, string | string[] | undefined>>;
}

/** What `OPTIONS` and every answer say of the repository. */
export const EPCIS_HEADERS = {
  'gs1-epcis-version': '2.0.0',
  'gs1-epcis-min': '2.0.0',
  'gs1-epcis-max': '2.0.1',
  'gs1-cbv-version': '2.0.0',
  'gs1-cbv-min': '2.0.0',
  'gs1-cbv-max': '2.0.1',
  'gs1-epc-format': 'Never_Translates',
  'gs1-cbv-xml-format': 'Never_Translates',
} as const;

export function say(reply: HeaderReply, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) reply.header(name, value);
}

/** @throws DomainError 404 for the repository of another tenant */
export function requireOwn(actor: Actor, tenant: string): void {
  if (tenant !== actor.tenantSlug) throw tenantNotFound();
}

const DEFAULT_PER_PAGE = 30;
export const MAX_PER_PAGE = 1_000;

/** Parameters of paging, which are none of the query. @throws DomainError 400 */
export function pageRequest({ query }: EpcisRequest): PageRequest {
  const { perPage, nextPageToken } = query;
  const count = perPage === undefined ? DEFAULT_PER_PAGE : Number(perPage);
  if (!Number.isSafeInteger(count) || count < 1 || count > MAX_PER_PAGE)
    throw malformedRequest([
      { pointer: '/perPage', code: 'out_of_range', message: `perPage is a whole number from 1 to ${MAX_PER_PAGE}.` },
    ]);
  return { perPage: count, token: typeof nextPageToken === 'string' ? nextPageToken : undefined };
}

/** Values of one parameter are separated by commas, or the parameter is repeated. */
function parametersIn({ query }: EpcisRequest): Parameters {
  const given = Object.entries(query).filter(([name]) => name !== 'perPage' && name !== 'nextPageToken');
  return Object.fromEntries(
    given.map(([name, value]) => [name, [value ?? []].flat().flatMap((one) => one.split(',').map((text) => text.trim()))]),
  );
}

/** Prefixes of extensions by the header `GS1-Extensions: ext=https://farm.example/ns/`. */
function extensionsIn({ headers }: EpcisRequest): Readonly<Record<string, string>> {
  const header = [headers['gs1-extensions'] ?? []].flat().join(',');
  return Object.fromEntries(
    header.split(',').flatMap((one) => {
      const [, prefix, namespace] = /^\s*([^=\s]+)\s*=\s*(\S+)\s*$/.exec(one) ?? [];
      return prefix === undefined ? [] : [[prefix, namespace!]];
    }),
  );
}

/** @param more conditions of the path @throws DomainError 400 that names each wrong parameter */
export function queryIn(request: EpcisRequest, more: Parameters = {}): SimpleQuery {
  const { query, problems } = readQuery({ ...parametersIn(request), ...more }, extensionsIn(request));
  if (problems.length > 0) throw malformedRequest(problems);
  return query;
}

const LINKED_JSON = 'application/ld+json';
const XML_TYPES = ['application/xml', 'text/xml'];
const VERSION = /^(?:(1)\.2|2\.0)(?:\.[01])?$/;

/** The version of XML that the answer is written in, by `Accept` and `GS1-EPCIS-Version`; null: JSON. @throws DomainError 400 */
function xmlVersionIn({ headers }: EpcisRequest): XmlVersion | null {
  const accepted = negotiate([headers['accept'] ?? []].flat().join(','), [LINKED_JSON, 'application/json', ...XML_TYPES]);
  if (accepted === null || !XML_TYPES.includes(accepted)) return null;
  const wanted = headers['gs1-epcis-version'] ?? '2.0';
  const found = typeof wanted === 'string' ? VERSION.exec(wanted) : null;
  if (found) return found[1] === undefined ? '2.0' : '1.2';
  const message = 'GS1-EPCIS-Version is 1.2 or 2.0.';
  throw malformedRequest([{ pointer: '/GS1-EPCIS-Version', code: 'unknown_word', message }]);
}

function answered(
  request: EpcisRequest,
  reply: HeaderReply,
  tenant: string,
  next: string | null,
  version: XmlVersion | null = null,
): Naming {
  const naming = { base: request.publicOrigin, tenant };
  const media = version === null ? LINKED_JSON : 'application/xml';
  say(reply, { ...EPCIS_HEADERS, 'gs1-extensions': `trc=${naming.base}/ns/trc#`, 'content-type': `${media}; charset=utf-8` });
  if (version === '1.2') reply.header('gs1-epcis-version', '1.2.0');
  vary(reply, 'Accept');
  if (next !== null) {
    const url = new URL(request.url, request.publicOrigin);
    url.searchParams.set('nextPageToken', next);
    reply.header('link', `<${url.href}>; rel="next"`);
  }
  return naming;
}

function xmlDocument(texts: readonly string[], request: EpcisRequest, naming: Naming, about: Omit<XmlHead, 'terms'>): Buffer {
  const events = texts.map((text) => JSON.parse(located(text, request.publicOrigin)) as Json);
  return Buffer.from(documentXml(events, { ...about, terms: namespaceOf(naming) }));
}

/** An EPCISQueryDocument with the events of a page. */
export function queryDocument(
  request: EpcisRequest,
  reply: HeaderReply,
  { tenant, queryName }: { readonly tenant: string; readonly queryName: string },
  { at, items, next }: FoundPage,
): Buffer {
  const version = xmlVersionIn(request);
  const naming = answered(request, reply, tenant, next, version);
  if (version !== null) return xmlDocument(items, request, naming, { version, createdAt: at.toISOString(), queryName });
  const id = new URL(request.url, request.publicOrigin).href;
  return Buffer.from(queryDocumentText({ id, at, queryName, items }, naming));
}

/** One event, readable by itself; in XML a document with it. */
export function eventDocument(
  request: EpcisRequest,
  reply: HeaderReply,
  tenant: string,
  { at, text }: { readonly at: Date; readonly text: string },
): Buffer {
  const version = xmlVersionIn(request);
  const naming = answered(request, reply, tenant, null, version);
  if (version !== null) return xmlDocument([text], request, naming, { version, createdAt: at.toISOString(), queryName: null });
  const event = JSON.parse(located(text, request.publicOrigin)) as Readonly<Record<string, unknown>>;
  const contexts = [documentAround('', new Date(0), naming)['@context'], event['@context'] ?? []].flat();
  return Buffer.from(JSON.stringify({ ...event, '@context': contexts }));
}

/** A collection of values that events have. */
export function collectionDocument(
  request: EpcisRequest,
  reply: HeaderReply,
  tenant: string,
  { items, next }: Pick<FoundPage, 'items' | 'next'>,
): Buffer {
  const naming = answered(request, reply, tenant, next);
  const member = items.map((one) => located(one, request.publicOrigin));
  return Buffer.from(JSON.stringify({ '@context': documentAround('', new Date(0), naming)['@context'], type: 'Collection', member }));
}

/** Where an event is on its way to the chain. */
const STATES: Readonly<Record<string, string>> = { prepared: 'awaiting_signature', submitted: 'sent' };

interface JobView extends ReturnType<typeof jobSummary> {
  readonly errors: readonly object[];
  readonly events: readonly (Omit<CapturedOutcome, 'outcome'> & { readonly state: string })[];
}

/** A job in the words of the standard, with what became of each event. @param statuses of events here, by their id */
export function jobView(job: CaptureJob, statuses: ReadonlyMap<string, string>): JobView {
  return {
    ...jobSummary(job),
    errors: job.events.filter(isAtFault).flatMap(errorsOf),
    events: job.events.map(({ outcome, ...event }) => ({ ...event, state: stateOf({ outcome, ...event }, statuses) })),
  };
}

export const jobSummary = ({ id, createdAt, finishedAt, success, errorBehaviour }: Omit<CaptureJob, 'events'>) => ({
  captureID: id,
  createdAt: createdAt.toISOString(),
  ...(finishedAt && { finishedAt: finishedAt.toISOString() }),
  running: finishedAt === null,
  success,
  captureErrorBehaviour: errorBehaviour,
});

/** Refused for itself, and not because of another event. */
const isAtFault = ({ outcome, problems }: CapturedOutcome): boolean =>
  outcome === 'refused' && !problems.some(({ code }) => code === 'capture_rolled_back');

function stateOf({ outcome, eventId }: CapturedOutcome, statuses: ReadonlyMap<string, string>): string {
  if (outcome === 'waiting') return 'awaiting_signature';
  if (outcome === 'kept' || outcome === 'refused') return outcome;
  if (outcome === 'recorded_here') return 'recorded';
  const status = statuses.get(eventId ?? '') ?? 'expired';
  return STATES[status] ?? status;
}

const errorsOf = ({ problems, pointer, eventID }: CapturedOutcome): object[] =>
  (problems as readonly Problem[]).map((problem) => ({
    type: 'epcisException:ValidationException',
    title: problem.code,
    status: 400,
    detail: problem.message,
    pointer: problem.pointer === '' ? pointer : problem.pointer,
    eventID,
  }));
