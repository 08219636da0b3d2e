import { type Problem, readInstant, textFaults } from '#kernel';
import {
  BIZ_STEP,
  COMPONENT,
  DISPOSITION,
  ERROR_REASON,
  PARTY_TYPE,
  TRANSACTION_TYPE,
  type Vocabulary,
  fullWord,
  gs1Word,
} from '../epcis/cbv.js';
import { isEventType } from '../epcis/event-types.js';
import { canonicalLink } from '../epcis/identifiers.js';
import { type NameRole, THING_ROLES, canonicalName, fullField, numberOf } from '../epcis/indexed-event.js';
import { patternsOf } from './name-patterns.js';

/** What an event must have to be in the result; all of them together. */
export type Condition =
  | { readonly kind: 'column'; readonly column: Column; readonly any: readonly string[] }
  /** At a place or at a part of it. */
  | { readonly kind: 'within'; readonly column: 'readPoint' | 'bizLocation'; readonly any: readonly string[] }
  | { readonly kind: 'time'; readonly column: 'eventTime' | 'recordTime'; readonly from: Date | null; readonly before: Date | null }
  /** Names, or LIKE patterns of names. */
  | { readonly kind: 'names'; readonly roles: readonly NameRole[]; readonly any: readonly string[]; readonly like: readonly string[] }
  | { readonly kind: 'terms'; readonly any: readonly string[] }
  | { readonly kind: 'value'; readonly field: string; readonly compare: Comparison; readonly value: number }
  | { readonly kind: 'keys'; readonly any: readonly string[] }
  | { readonly kind: 'never' };

export type Column = 'eventID' | 'type' | 'action' | 'bizStep' | 'disposition' | 'readPoint' | 'bizLocation';
export type Comparison = '=' | '>' | '>=' | '<' | '<=';

/** SimpleEventQuery (ISO/IEC 19987 §8.2.7). */
export interface SimpleQuery {
  readonly conditions: readonly Condition[];
  readonly orderBy: 'eventTime' | 'recordTime';
  readonly descending: boolean;
  /** The first so many; null = all. */
  readonly eventCountLimit: number | null;
  /** With more, the query is refused; null = no limit. */
  readonly maxEventCount: number | null;
}

/** Parameters by their names, each with its values. */
export type Parameters = Readonly<Record<string, readonly string[]>>;

const MOST_VALUES = 1_000;
const MOST_PARAMETERS = 100;
/** Each is up to ten searches. */
const MOST_PATTERNS = 20;

type Reader = (values: readonly string[], name: string, query: Reading) => Condition | null;

/** @param namespaces of the prefixes of extensions */
export function readQuery(
  parameters: Parameters,
  namespaces: Readonly<Record<string, string>>,
): { readonly query: SimpleQuery; readonly problems: readonly Problem[] } {
  const reading = new Reading(namespaces);
  const names = Object.keys(parameters);
  if (names.length > MOST_PARAMETERS) reading.refuse('', 'too_many', `A query has at most ${MOST_PARAMETERS} parameters.`);
  else for (const name of names) reading.read(name, parameters[name]!);
  return { query: reading.query(), problems: reading.problems };
}

class Reading {
  readonly problems: Problem[] = [];
  private readonly conditions: Condition[] = [];
  private readonly times = { eventTime: { from: null, before: null }, recordTime: { from: null, before: null } } as Record<
    'eventTime' | 'recordTime',
    { from: Date | null; before: Date | null }
  >;
  private orderBy: 'eventTime' | 'recordTime' = 'eventTime';
  private descending = true;
  private eventCountLimit: number | null = null;
  private maxEventCount: number | null = null;

  constructor(readonly namespaces: Readonly<Record<string, string>>) {}

  refuse(name: string, code: string, message: string): null {
    this.problems.push({ pointer: name === '' ? '' : `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, code, message });
    return null;
  }

  read(name: string, values: readonly string[]): void {
    for (const text of [name, ...values])
      for (const { code, message } of textFaults(text, `/${name}`)) return void this.refuse(name, code, message);
    if (values.length > MOST_VALUES) return void this.refuse(name, 'too_many', `A parameter has at most ${MOST_VALUES} values.`);
    if (this.control(name, values[0] ?? '')) return;
    const condition = (Object.hasOwn(NAMED, name) ? NAMED[name]! : patterned)(values, name, this);
    if (condition !== null) this.conditions.push(condition);
  }

  private control(name: string, value: string): boolean {
    const [, side, column] = /^(GE|LT)_(eventTime|recordTime)$/.exec(name) ?? [];
    if (column !== undefined) {
      const at = this.instant(name, value);
      this.times[column as 'eventTime'][side === 'GE' ? 'from' : 'before'] = at;
      return true;
    }
    switch (name) {
      case 'orderBy':
        if (value === 'eventTime' || value === 'recordTime') this.orderBy = value;
        else this.refuse(name, 'unknown_word', 'orderBy is eventTime or recordTime.');
        return true;
      case 'orderDirection':
        if (value === 'ASC' || value === 'DESC') this.descending = value === 'DESC';
        else this.refuse(name, 'unknown_word', 'orderDirection is ASC or DESC.');
        return true;
      case 'eventCountLimit':
        this.eventCountLimit = this.count(name, value);
        return true;
      case 'maxEventCount':
        this.maxEventCount = this.count(name, value);
        return true;
      default:
        return false;
    }
  }

  private count(name: string, value: string): number | null {
    const count = Number(value);
    if (Number.isSafeInteger(count) && count > 0) return count;
    return this.refuse(name, 'wrong_type', `${name} is a whole number above 0.`);
  }

  instant(name: string, value: string): Date | null {
    // A plus sign that was sent without escaping arrives as a space.
    const at = readInstant(value.replace(/ (?=\d{2}:\d{2}$)/, '+'));
    if (at instanceof Date) return at;
    return this.refuse(name, at, `${name} is a date and time with an offset (ISO 8601).`);
  }

  query(): SimpleQuery {
    const times = (['eventTime', 'recordTime'] as const).flatMap((column): Condition[] => {
      const { from, before } = this.times[column];
      return from === null && before === null ? [] : [{ kind: 'time', column, from, before }];
    });
    const { orderBy, descending, eventCountLimit, maxEventCount } = this;
    if (eventCountLimit !== null && maxEventCount !== null)
      this.refuse('maxEventCount', 'not_together', 'A query has eventCountLimit or maxEventCount.');
    return { conditions: [...times, ...this.conditions], orderBy, descending, eventCountLimit, maxEventCount };
  }
}

const column =
  (of: Column, spelt: (value: string) => string = (value) => value): Reader =>
  (values) => ({ kind: 'column', column: of, any: values.map(spelt) });
const word =
  (vocabulary: Vocabulary) =>
  (value: string): string =>
    fullWord(vocabulary, value);
const terms =
  (field: string, spelt: (value: string) => string = (value) => value): Reader =>
  (values) => ({ kind: 'terms', any: values.map((value) => `${field}=${spelt(value)}`) });
const within =
  (of: 'readPoint' | 'bizLocation'): Reader =>
  (values) => ({ kind: 'within', column: of, any: values.map(canonicalName) });
const names =
  (...roles: readonly NameRole[]): Reader =>
  (values, name, reading) => {
    const patterns = values.map((value) => patternsOf(value, canonicalLink(value)));
    if (patterns.filter((one) => one !== null).length > MOST_PATTERNS)
      return reading.refuse(name, 'too_many', `A parameter has at most ${MOST_PATTERNS} patterns.`);
    return {
      kind: 'names',
      roles,
      any: values.filter((_, i) => patterns[i] === null).map(canonicalName),
      like: patterns.flatMap((one) => one ?? []),
    };
  };
const eventTypes: Reader = (values, name, reading) => {
  const wrong = values.find((value) => !isEventType(value));
  if (wrong !== undefined) return reading.refuse(name, 'unknown_word', `${wrong} is no type of event.`);
  return { kind: 'column', column: 'type', any: values };
};

/** Parameters that are spelt out. */
const NAMED: Readonly<Record<string, Reader>> = {
  eventType: eventTypes,
  EQ_eventID: column('eventID'),
  EQ_action: column('action'),
  EQ_bizStep: column('bizStep', word(BIZ_STEP)),
  EQ_disposition: column('disposition', word(DISPOSITION)),
  EQ_readPoint: column('readPoint', canonicalName),
  EQ_bizLocation: column('bizLocation', canonicalName),
  WD_readPoint: within('readPoint'),
  WD_bizLocation: within('bizLocation'),
  EQ_persistentDisposition_set: terms('persistentDisposition_set', word(DISPOSITION)),
  EQ_persistentDisposition_unset: terms('persistentDisposition_unset', word(DISPOSITION)),
  EQ_transformationID: terms('transformationID'),
  EQ_certificationInfo: terms('certificationInfo'),
  EQ_errorReason: terms('errorReason', word(ERROR_REASON)),
  EQ_correctiveEventID: terms('correctiveEventID'),
  EQ_type: terms('type', gs1Word),
  EQ_exception: terms('exception', gs1Word),
  EQ_component: terms('component', word(COMPONENT)),
  EXISTS_errorDeclaration: () => ({ kind: 'terms', any: ['errorDeclaration'] }),
  EXISTS_sensorElementList: () => ({ kind: 'terms', any: ['sensorElementList'] }),
  MATCH_epc: names('epc'),
  MATCH_parentID: names('parent'),
  MATCH_inputEPC: names('input'),
  MATCH_outputEPC: names('output'),
  MATCH_anyEPC: names('epc', 'parent', 'input', 'output'),
  MATCH_epcClass: names('class'),
  MATCH_inputEPCClass: names('inputClass'),
  MATCH_outputEPCClass: names('outputClass'),
  /** Of the resource `epcs`, not of the standard: however an event names the thing. */
  MATCH_anyName: names(...THING_ROLES),
  MATCH_anyEPCClass: names('class', 'inputClass', 'outputClass'),
};

/** Texts of sensors that are compared as they are, keys among them in one spelling. */
const SENSOR_TEXT =
  /^EQ_(deviceID|deviceMetadata|rawData|dataProcessingMethod|bizRules|microorganism|chemicalSubstance|stringValue|uriValue|booleanValue|hexBinaryValue|coordinateReferenceSystem)$/;
const TYPED = /^EQ_(bizTransaction|source|destination)_(.+)$/;
const MEASURED = /^(EQ|GT|GE|LT|LE)_((?:value|minValue|maxValue|meanValue|sDev|percRank|percValue)(?:_[A-Z0-9]{2,3})?|quantity)$/;
const TIMED = /^(EQ|GT|GE|LT|LE)_(errorDeclarationTime|time|startTime|endTime)$/;
const ATTRIBUTE = /^(HASATTR|EQATTR)_/;
const EXTENSION =
  /^(EQ|GT|GE|LT|LE|EXISTS)_(INNER_)?(ILMD_|ERROR_DECLARATION_|SENSORELEMENT_|SENSORMETADATA_|SENSORREPORT_)?([^\s:]+:\S+)$/;

const COMPARISONS: Readonly<Record<string, Comparison>> = { EQ: '=', GT: '>', GE: '>=', LT: '<', LE: '<=' };

const patterned: Reader = (values, name, reading) => {
  const [value = ''] = values;
  const sensor = SENSOR_TEXT.exec(name)?.[1];
  if (sensor !== undefined) return terms(sensor, canonicalName)(values, name, reading);
  const [, member, type] = TYPED.exec(name) ?? [];
  if (member !== undefined) return typed(member, type!, values);
  const [, compare, measured] = MEASURED.exec(name) ?? [];
  if (measured !== undefined) return compared(reading, name, { field: measured, compare: compare!, value: numberOf(value) });
  const [, order, timed] = TIMED.exec(name) ?? [];
  if (timed !== undefined) {
    const at = reading.instant(name, value);
    return at && { kind: 'value', field: timed, compare: COMPARISONS[order!]!, value: at.getTime() };
  }
  // Attributes belong to master data, of which this repository has none.
  if (ATTRIBUTE.test(name)) return { kind: 'never' };
  return extension(values, name, reading);
};

function typed(member: string, type: string, values: readonly string[]): Condition {
  const full = fullWord(member === 'bizTransaction' ? TRANSACTION_TYPE : PARTY_TYPE, type);
  const role = `${member as 'bizTransaction' | 'source' | 'destination'}_${full}` as const;
  return { kind: 'names', roles: [role], any: values.map(canonicalName), like: [] };
}

function extension(values: readonly string[], name: string, reading: Reading): Condition | null {
  const [, how, inner = '', kind = '', field] = EXTENSION.exec(name) ?? [];
  if (field === undefined) return reading.refuse(name, 'unknown_parameter', `SimpleEventQuery has no parameter ${name.slice(0, 100)}.`);
  const full = `${kind}${inner}${fullField(field, reading.namespaces)}`;
  if (how === 'EXISTS') return { kind: 'terms', any: [full] };
  if (how === 'EQ') return { kind: 'terms', any: values.map((value) => `${full}=${value}`) };
  return compared(reading, name, { field: full, compare: how!, value: numberOf(values[0] ?? '') });
}

function compared(
  reading: Reading,
  name: string,
  { field, compare, value }: { readonly field: string; readonly compare: string; readonly value: number | null },
): Condition | null {
  if (value === null) return reading.refuse(name, 'wrong_type', `${name} is a number, or a date and time with an offset.`);
  return { kind: 'value', field, compare: COMPARISONS[compare]!, value };
}
