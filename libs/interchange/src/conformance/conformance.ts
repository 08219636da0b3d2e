import type { Problem } from '#kernel';
import { ACTIONS, BIZ_STEP, DISPOSITION, ERROR_REASON, PARTY_TYPE, TRANSACTION_TYPE, type Vocabulary } from '../epcis/cbv.js';
import { type Json, isObject } from '../epcis/json.js';
import { EVENT_TYPES } from '../epcis/event-types.js';
import { Faults, listOf } from './faults.js';
import { EPC_LISTS, QUANTITY_LISTS, contextFaults, sizeFaults } from './sizes.js';

/**
 * Whether a document is EPCIS 2.0 in JSON-LD (ISO/IEC 19987): word lists, required members, shapes of values, no bare unknown member.
 * Written from the rules of the standard: the licence of GS1's schema does not allow us to ship it.
 */
const DOCUMENT_MEMBERS = words('@context id type schemaVersion creationDate instanceIdentifier sender receiver epcisHeader epcisBody');

/** Addresses that GS1 has published the context of EPCIS 2.0 under, in drafts and since (ref.gs1.org). */
const EPCIS_CONTEXT =
  /^https?:\/\/(?:(?:ref|id|ns)\.gs1\.org\/(?:standards\/)?epcis(?:[/-]|$)|(?:www\.)?gs1\.org\/(?:standards\/)?epcis\/|gs1\.github\.io\/EPCIS\/)/;

export const isEpcisContext = (address: string): boolean => EPCIS_CONTEXT.test(address);

/** What is wrong with the document around its events: a document, or the results of a query. */
export function documentFaults(document: Json): Problem[] {
  const faults = new Faults('');
  const contexts = listOf(document['@context']);
  if (!contexts.some((one) => typeof one === 'string' && isEpcisContext(one)))
    faults.add('/@context', 'required', 'The context of EPCIS must be named in @context.');
  contextFaults(faults, document['@context']);
  const isQuery = document['type'] === 'EPCISQueryDocument';
  if (!isQuery && document['type'] !== 'EPCISDocument')
    faults.add('/type', 'wrong_type', `type must be EPCISDocument, EPCISQueryDocument or a type of event: ${EVENT_TYPES.join(', ')}.`);
  const version = document['schemaVersion'];
  // Some of GS1's own examples have neither version nor date, or a number; nothing depends on them.
  if (version !== undefined && !/^2(\.\d+)*$/.test(typeof version === 'string' || typeof version === 'number' ? String(version) : ''))
    faults.add('/schemaVersion', 'unsupported_version', 'schemaVersion must be 2.0.');
  faults.time(document, 'creationDate');
  // A leading underscore marks remarks for people, as many documents have them.
  faults.noBareKeys(document, DOCUMENT_MEMBERS, (key) => key.startsWith('_'));
  if (isQuery) resultsFaults(faults, document['epcisBody']);
  else if (!isObject(document['epcisBody'])) faults.add('/epcisBody', 'required', 'epcisBody is required.');
  else listFaults(faults, document['epcisBody'], '/epcisBody');
  return faults.found;
}

function resultsFaults(faults: Faults, body: unknown): void {
  const results = isObject(body) ? body['queryResults'] : undefined;
  const within = isObject(results) ? results['resultsBody'] : undefined;
  if (isObject(within)) listFaults(faults, within, '/epcisBody/queryResults/resultsBody');
  else faults.add('/epcisBody/queryResults/resultsBody', 'required', 'queryResults.resultsBody is required.');
}

function listFaults(faults: Faults, parent: Json, at: string): void {
  if (Array.isArray(parent['eventList']) || isObject(parent['event'])) return;
  faults.add(`${at}/eventList`, 'required', `${at.slice(1).replaceAll('/', '.')}.eventList must be a list of events.`);
}

/** In the context of EPCIS, `eventID` is another word for `id`. */
const WHAT_AND_WHY = `@context type id eventID eventTime eventTimeZoneOffset recordTime errorDeclaration certificationInfo bizStep disposition
  persistentDisposition readPoint bizLocation bizTransactionList sourceList destinationList sensorElementList`;

interface EventType {
  readonly members: ReadonlySet<string>;
  readonly hasAction: boolean;
}

const TYPES: Readonly<Record<string, EventType>> = {
  ObjectEvent: { members: words(`${WHAT_AND_WHY} action epcList quantityList ilmd`), hasAction: true },
  AggregationEvent: { members: words(`${WHAT_AND_WHY} action parentID childEPCs childQuantityList`), hasAction: true },
  AssociationEvent: { members: words(`${WHAT_AND_WHY} action parentID childEPCs childQuantityList`), hasAction: true },
  TransactionEvent: { members: words(`${WHAT_AND_WHY} action parentID epcList quantityList`), hasAction: true },
  TransformationEvent: {
    members: words(`${WHAT_AND_WHY} inputEPCList inputQuantityList outputEPCList outputQuantityList transformationID ilmd`),
    hasAction: false,
  },
};

/** What is wrong with one event. @param pointer of the event in its document */
export function eventFaults(event: unknown, pointer: string): Problem[] {
  const faults = new Faults(pointer);
  if (!isObject(event)) {
    faults.add('', 'wrong_type', 'An event must be a JSON object.');
    return faults.found;
  }
  const type = typeof event['type'] === 'string' && Object.hasOwn(TYPES, event['type']) ? TYPES[event['type']]! : null;
  if (!type) {
    faults.add('/type', 'unknown_event_type', `type must be one of ${Object.keys(TYPES).join(', ')}.`);
    return faults.found;
  }
  sizeFaults(faults, event);
  if (faults.found.length > 0) return faults.found;
  faults.noBareKeys(event, type.members);
  when(faults, event);
  what(faults, event, type);
  why(faults, event);
  where(faults, event);
  sensors(faults, event['sensorElementList']);
  certificates(faults, event['certificationInfo']);
  declaration(faults, event['errorDeclaration']);
  return faults.found;
}

function when(faults: Faults, event: Json): void {
  faults.uri(event, 'eventID');
  faults.uri(event, 'id');
  faults.time(event, 'eventTime', true);
  faults.time(event, 'recordTime');
  const offset = event['eventTimeZoneOffset'];
  if (typeof offset !== 'string' || !/^[+-]((0\d|1[0-3]):[0-5]\d|14:00)$/.test(offset))
    faults.add('/eventTimeZoneOffset', 'bad_offset', 'eventTimeZoneOffset must be ±hh:mm.');
}

function what(faults: Faults, event: Json, type: EventType): void {
  const action = event['action'];
  if (type.hasAction && (typeof action !== 'string' || !ACTIONS.has(action)))
    faults.add('/action', action === undefined ? 'required' : 'unknown_word', 'action must be ADD, OBSERVE or DELETE.');
  for (const name of EPC_LISTS) for (const [i, epc] of faults.list(event, name).entries()) faults.isUri(epc, `/${name}/${i}`);
  for (const name of QUANTITY_LISTS) for (const [i, item] of faults.list(event, name).entries()) quantity(faults, item, `/${name}/${i}`);
  const filled = (...names: string[]): boolean => names.some((name) => listOf(event[name]).length > 0);
  const names = event['type'] as string;
  if (names === 'ObjectEvent' && !filled('epcList', 'quantityList', 'sensorElementList'))
    faults.add('', 'required', 'An ObjectEvent names something in epcList or quantityList.');
  if (names === 'TransactionEvent' && !filled('bizTransactionList'))
    faults.add('/bizTransactionList', 'required', 'A TransactionEvent needs bizTransactionList.');
  if (names === 'TransformationEvent') transformation(faults, event, filled);
  if (names === 'AggregationEvent' || names === 'AssociationEvent') {
    faults.uri(event, 'parentID', names === 'AssociationEvent' || action === 'ADD' || action === 'DELETE');
    if (action === 'ADD' && !filled('childEPCs', 'childQuantityList', 'sensorElementList'))
      faults.add('', 'required', 'An event with action ADD names something in childEPCs or childQuantityList.');
  } else faults.uri(event, 'parentID');
  faults.uri(event, 'transformationID');
  instanceData(faults, event);
}

function transformation(faults: Faults, event: Json, filled: (...names: string[]) => boolean): void {
  if (event['transformationID'] !== undefined) return;
  if (!filled('inputEPCList', 'inputQuantityList')) faults.add('', 'required', 'A TransformationEvent names its inputs.');
  if (!filled('outputEPCList', 'outputQuantityList')) faults.add('', 'required', 'A TransformationEvent names its outputs.');
}

function instanceData(faults: Faults, event: Json): void {
  const ilmd = event['ilmd'];
  if (ilmd === undefined) return;
  if (!isObject(ilmd)) faults.add('/ilmd', 'wrong_type', 'ilmd must be an object.');
  else faults.noBareKeys(ilmd, new Set(), undefined, '/ilmd');
}

function quantity(faults: Faults, item: unknown, at: string): void {
  if (!isObject(item)) {
    faults.add(at, 'wrong_type', 'A quantity must be an object.');
    return;
  }
  faults.noBareKeys(item, QUANTITY, undefined, at);
  faults.isUri(item['epcClass'], `${at}/epcClass`);
  const { quantity: amount, uom } = item;
  if (amount !== undefined && (typeof amount !== 'number' || !Number.isFinite(amount) || amount < 0))
    faults.add(`${at}/quantity`, 'wrong_type', 'quantity must be a number, not below 0.');
  if (uom !== undefined && (typeof uom !== 'string' || !/^[A-Z0-9]{2,3}$/.test(uom)))
    faults.add(`${at}/uom`, 'unknown_unit', 'uom must be a code of UNECE Recommendation 20.');
  if (uom !== undefined && amount === undefined) faults.add(`${at}/quantity`, 'required', 'A unit needs a quantity.');
}

function why(faults: Faults, event: Json): void {
  faults.word(event['bizStep'], BIZ_STEP, '/bizStep');
  faults.word(event['disposition'], DISPOSITION, '/disposition');
  persistent(faults, event);
  typedList(faults, event, 'bizTransactionList', 'bizTransaction', TRANSACTION_TYPE);
  typedList(faults, event, 'sourceList', 'source', PARTY_TYPE);
  typedList(faults, event, 'destinationList', 'destination', PARTY_TYPE);
}

function persistent(faults: Faults, event: Json): void {
  const given = event['persistentDisposition'];
  if (given === undefined) return;
  if (!isObject(given)) faults.add('/persistentDisposition', 'wrong_type', 'persistentDisposition must be an object.');
  else {
    faults.noBareKeys(given, new Set(['set', 'unset']), undefined, '/persistentDisposition');
    for (const name of ['set', 'unset'])
      for (const [i, word] of faults.list(given, name, '/persistentDisposition').entries())
        faults.word(word, DISPOSITION, `/persistentDisposition/${name}/${i}`);
  }
}

function typedList(faults: Faults, event: Json, name: string, value: string, types: Vocabulary): void {
  for (const [i, item] of faults.list(event, name).entries()) {
    const at = `/${name}/${i}`;
    if (!isObject(item)) {
      faults.add(at, 'wrong_type', `An item of ${name} must be an object.`);
      continue;
    }
    faults.noBareKeys(item, new Set(['type', value]), undefined, at);
    if (types === PARTY_TYPE && item['type'] === undefined) faults.add(`${at}/type`, 'required', 'type is required.');
    faults.word(item['type'], types, `${at}/type`);
    faults.isUri(item[value], `${at}/${value}`);
  }
}

function where(faults: Faults, event: Json): void {
  for (const name of ['readPoint', 'bizLocation']) {
    const place = event[name];
    if (place === undefined) continue;
    if (!isObject(place)) {
      faults.add(`/${name}`, 'wrong_type', `${name} must be an object with an id.`);
      continue;
    }
    faults.noBareKeys(place, new Set(['id']), undefined, `/${name}`);
    faults.isUri(place['id'], `/${name}/id`);
  }
}

const METADATA = words('time startTime endTime deviceID deviceMetadata rawData dataProcessingMethod bizRules');
const REPORT =
  words(`type exception deviceID deviceMetadata rawData dataProcessingMethod bizRules time microorganism chemicalSubstance value component
  stringValue booleanValue hexBinaryValue uriValue minValue maxValue meanValue sDev percRank percValue uom coordinateReferenceSystem`);
const QUANTITY = words('epcClass quantity uom');

function sensors(faults: Faults, list: unknown): void {
  for (const [i, item] of listOf(list).entries()) {
    const at = `/sensorElementList/${i}`;
    if (!isObject(item) || !Array.isArray(item['sensorReport'])) {
      faults.add(at, 'required', 'A sensor element needs its sensorReport.');
      continue;
    }
    faults.noBareKeys(item, new Set(['type', 'sensorMetadata', 'sensorReport']), undefined, at);
    const metadata = item['sensorMetadata'];
    if (isObject(metadata)) {
      faults.noBareKeys(metadata, METADATA, undefined, `${at}/sensorMetadata`);
      for (const name of ['time', 'startTime', 'endTime']) faults.time(metadata, name, false, `${at}/sensorMetadata`);
    } else if (metadata !== undefined) faults.add(`${at}/sensorMetadata`, 'wrong_type', 'sensorMetadata must be an object.');
    for (const [j, report] of (item['sensorReport'] as unknown[]).entries()) sensorReport(faults, report, `${at}/sensorReport/${j}`);
  }
}

const NUMBERS = words('value minValue maxValue meanValue sDev percRank percValue');
const TEXTS = words('type exception component stringValue uom');
const URIS = words(
  'deviceID deviceMetadata rawData dataProcessingMethod bizRules microorganism chemicalSubstance uriValue coordinateReferenceSystem',
);

function sensorReport(faults: Faults, report: unknown, at: string): void {
  if (!isObject(report)) {
    faults.add(at, 'wrong_type', 'A sensor report must be an object.');
    return;
  }
  faults.noBareKeys(report, REPORT, undefined, at);
  faults.time(report, 'time', false, at);
  if (report['type'] === undefined && report['exception'] === undefined)
    faults.add(`${at}/type`, 'required', 'A sensor report needs its type, what was measured, or an exception.');
  for (const [name, value] of Object.entries(report)) {
    if (NUMBERS.has(name) && (typeof value !== 'number' || !Number.isFinite(value)))
      faults.add(`${at}/${name}`, 'wrong_type', `${name} must be a number.`);
    if (TEXTS.has(name) && (typeof value !== 'string' || value === ''))
      faults.add(`${at}/${name}`, 'wrong_type', `${name} must be a text.`);
    if (URIS.has(name)) faults.isUri(value, `${at}/${name}`);
  }
  const { booleanValue, hexBinaryValue } = report;
  if (booleanValue !== undefined && typeof booleanValue !== 'boolean')
    faults.add(`${at}/booleanValue`, 'wrong_type', 'booleanValue must be true or false.');
  if (hexBinaryValue !== undefined && (typeof hexBinaryValue !== 'string' || !/^[A-Fa-f0-9]+$/.test(hexBinaryValue)))
    faults.add(`${at}/hexBinaryValue`, 'wrong_type', 'hexBinaryValue must be a text of hexadecimal digits.');
}

/** Certificates are named, not described: by a URI or a list of them. */
function certificates(faults: Faults, given: unknown): void {
  const at = (i: number): string => (Array.isArray(given) ? `/certificationInfo/${i}` : '/certificationInfo');
  for (const [i, one] of listOf(given).entries()) faults.isUri(one, at(i));
}

function declaration(faults: Faults, given: unknown): void {
  if (given === undefined) return;
  if (!isObject(given)) {
    faults.add('/errorDeclaration', 'wrong_type', 'errorDeclaration must be an object.');
    return;
  }
  const at = '/errorDeclaration';
  faults.noBareKeys(given, new Set(['declarationTime', 'reason', 'correctiveEventIDs']), undefined, at);
  faults.time(given, 'declarationTime', true, at);
  faults.word(given['reason'], ERROR_REASON, `${at}/reason`);
  for (const [i, id] of faults.list(given, 'correctiveEventIDs', at).entries()) faults.isUri(id, `${at}/correctiveEventIDs/${i}`);
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
