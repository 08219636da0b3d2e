import type { Json } from '../epcis/json.js';
import { ExtensionNames, isMember } from './extension-names.js';
import { type XmlAttribute, type XmlElement, XSI, attributeOf } from './xml-element.js';

type Members = Map<string, unknown>;
/** What XML says twice that can be there once. */
export type Twice = (element: XmlElement) => void;

const EPC_LISTS: ReadonlySet<string> = new Set(['epcList', 'childEPCs', 'inputEPCList', 'outputEPCList']);
const QUANTITY_LISTS: ReadonlySet<string> = new Set(['quantityList', 'childQuantityList', 'inputQuantityList', 'outputQuantityList']);
const TYPED_LISTS: ReadonlySet<string> = new Set(['bizTransactionList', 'sourceList', 'destinationList']);
const NUMBERS: ReadonlySet<string> = new Set('value minValue maxValue meanValue sDev percRank percValue quantity'.split(' '));
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
/** Around what a version added to the one before it. */
const WRAPPERS: ReadonlySet<string> = new Set(['extension', 'baseExtension']);
/** Written so by a draft. */
const ALIASES: ReadonlyMap<string, string> = new Map([['sensorMetaData', 'sensorMetadata']]);

const isOfEpcis = ({ namespace }: { readonly namespace: string }): boolean =>
  namespace === '' || namespace.startsWith('urn:epcglobal:epcis');
const isWrapper = (element: XmlElement): boolean => isOfEpcis(element) && WRAPPERS.has(element.name);

/** An event of EPCIS 1.2 or 2.0 in XML as JSON has it (ISO/IEC 19987 §9.5 and §10). */
export class XmlEvents {
  constructor(
    private readonly names: ExtensionNames,
    private readonly twice: Twice,
  ) {}

  event(element: XmlElement): Json {
    return { ...this.members(element, (child) => this.ofEvent(child)), type: element.name };
  }

  private ofEvent(child: XmlElement): unknown {
    if (EPC_LISTS.has(child.name)) return child.children.map((one) => (one.name === 'epc' ? one.text : { [one.name]: one.text }));
    if (QUANTITY_LISTS.has(child.name)) return child.children.map((one) => this.members(one, (part) => valueOf(part)));
    if (TYPED_LISTS.has(child.name)) return child.children.map((one) => this.typed(one));
    switch (child.name) {
      case 'readPoint':
      case 'bizLocation':
        return this.members(child, (part) => part.text);
      case 'ilmd':
        return this.members(child, (part) => this.extension(part));
      case 'persistentDisposition':
        return this.members(child, (part) => part.text, new Set(['set', 'unset']));
      case 'errorDeclaration':
        return this.members(child, (part) => (part.name === 'correctiveEventIDs' ? part.children.map(({ text }) => text) : part.text));
      case 'sensorElementList':
        return child.children.map((one) => this.sensorElement(one));
      default:
        return child.children.length > 0 ? this.extension(child) : child.text;
    }
  }

  private typed(item: XmlElement): Json {
    return { ...this.attributes(item.attributes), [item.name]: item.text };
  }

  private sensorElement(element: XmlElement): Json {
    return this.members(element, (part) => ({ ...this.attributes(part.attributes), ...this.members(part, valueOf) }), REPORTS);
  }

  /**
   * What is in an element, by its names in JSON: members that EPCIS knows, and extensions.
   * @param standard the value of a member that EPCIS knows @param lists members that are lists of them
   */
  private members(element: XmlElement, standard: (child: XmlElement) => unknown, lists: ReadonlySet<string> = CERTIFICATES): Json {
    const all: Members = new Map();
    const visit = (parent: XmlElement, isExtended: boolean): void => {
      for (const child of parent.children) {
        if (isWrapper(child)) visit(child, true);
        else if (isOfEpcis(child)) this.member(all, child, standard, { lists, isExtended });
        else append(all, this.names.ofElement(child), this.extension(child));
      }
    };
    visit(element, false);
    return Object.fromEntries(all);
  }

  private member(
    all: Members,
    child: XmlElement,
    standard: (child: XmlElement) => unknown,
    { lists, isExtended }: { readonly lists: ReadonlySet<string>; readonly isExtended: boolean },
  ): void {
    const name = ALIASES.get(child.name) ?? child.name;
    if (lists.has(name)) listAt(all, name).push(standard(child));
    // In an extension of version 1 a vendor could write names without a namespace.
    else if (isExtended && !OF_EVENTS.has(name)) append(all, `epcis:${name}`, this.extension(child));
    else if (all.has(name)) this.twice(child);
    else all.set(name, standard(child));
  }

  private extension(element: XmlElement): unknown {
    if (attributeOf(element, 'nil', XSI) === 'true') return null;
    const carried = isMember(element) ? element.attributes.filter(({ name }) => name !== 'name') : element.attributes;
    const attributes = this.attributes(carried);
    if (element.children.length === 0) {
      if (Object.keys(attributes).length === 0) return element.text;
      return { ...attributes, ...(element.text !== '' && { value: element.text }) };
    }
    const all: Members = new Map(Object.entries(attributes));
    for (const child of element.children) append(all, this.names.ofElement(child), this.extension(child));
    return Object.fromEntries(all);
  }

  private attributes(given: readonly XmlAttribute[]): Json {
    return Object.fromEntries(
      given.filter(({ namespace }) => namespace !== XSI).map((one) => [this.names.nameOf(one), attributeValue(one)]),
    );
  }
}

const CERTIFICATES: ReadonlySet<string> = new Set(['certificationInfo']);
const REPORTS: ReadonlySet<string> = new Set(['sensorReport']);

const OF_EVENTS: ReadonlySet<string> = new Set([
  ...EPC_LISTS,
  ...QUANTITY_LISTS,
  ...TYPED_LISTS,
  ...`eventID errorDeclaration certificationInfo ilmd sensorElementList persistentDisposition transformationID parentID`.split(' '),
]);

function listAt(all: Members, name: string): unknown[] {
  const list = (all.get(name) as unknown[] | undefined) ?? [];
  all.set(name, list);
  return list;
}

/** What occurs several times is a list. */
function append(all: Members, name: string, value: unknown): void {
  if (!all.has(name)) return void all.set(name, value);
  const before = all.get(name);
  if (Array.isArray(before)) before.push(value);
  else all.set(name, [before, value]);
}

const numbered = (name: string, text: string): unknown => (NUMBERS.has(name) && NUMBER.test(text) ? Number(text) : text);
const valueOf = ({ name, text }: XmlElement): unknown => numbered(name, text);

function attributeValue({ name, namespace, value }: XmlAttribute): unknown {
  const text = value.trim();
  if (namespace !== '') return text;
  if (name === 'booleanValue' && /^(?:true|1|false|0)$/.test(text)) return text === 'true' || text === '1';
  return numbered(name, text);
}
