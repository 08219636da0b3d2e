import type { Json } from '../epcis/json.js';
import type { XmlElement, XmlName } from './xml-element.js';

/** What XML declares and JSON has no need of. */
const OF_XML = /^(?:http:\/\/www\.w3\.org\/|urn:epcglobal:epcis(?:-query|-masterdata)?:xsd:|http:\/\/www\.unece\.org\/cefact\/)/;
/** Of master data of the CBV: JSON writes the colon in front of a name as part of the namespace. */
const MASTER_DATA = 'urn:epcglobal:cbv:mda';
/** Prefixes that the context of EPCIS gives a meaning. */
const KNOWN: ReadonlyMap<string, string> = new Map([
  ['cbvmda', `${MASTER_DATA}:`],
  ['gs1', 'https://ref.gs1.org/voc/'],
]);
const RESERVED: ReadonlySet<string> = new Set([
  '',
  'xml',
  'xmlns',
  'epcis',
  'epcisq',
  'cbv',
  'rdf',
  'http',
  'https',
  'urn',
  ...KNOWN.keys(),
]);
/** The vocabulary of this service, wherever it runs. */
const isOwnVocabulary = (namespace: string): boolean => namespace.endsWith('/ns/trc#');

/** Names of extensions of one document, each namespace with one prefix, as a `@context` of JSON declares them. */
export class ExtensionNames {
  private readonly byNamespace = new Map([...KNOWN].map(([prefix, namespace]) => [namespace, prefix]));
  private readonly taken = new Set<string>(RESERVED);

  /** @param declared the namespaces of the document by their prefixes */
  constructor(declared: ReadonlyMap<string, string>) {
    for (const [prefix, namespace] of declared) if (namespace !== '' && !OF_XML.test(namespace)) this.prefixOf(namespace, prefix);
  }

  nameOf({ name, prefix, namespace }: XmlName): string {
    return namespace === '' ? name : `${this.prefixOf(namespace, prefix)}:${name}`;
  }

  /** Of an element that carries a name which XML cannot have. */
  ofElement(element: XmlElement): string {
    const given = element.attributes.find(({ name, namespace }) => name === 'name' && namespace === '')?.value;
    return isMember(element) && given !== undefined && given !== '__proto__' ? given : this.nameOf(element);
  }

  /** Null: every name that is used is known without it. */
  get context(): Json | null {
    const own = [...this.byNamespace].filter(([, prefix]) => !KNOWN.has(prefix));
    return own.length === 0 ? null : Object.fromEntries(own.map(([namespace, prefix]) => [prefix, namespace]));
  }

  private prefixOf(given: string, wanted: string): string {
    const namespace = given === MASTER_DATA ? `${MASTER_DATA}:` : given;
    const known = this.byNamespace.get(namespace);
    if (known !== undefined) return known;
    const base = wanted === '' || wanted === '__proto__' ? 'ns' : wanted;
    let prefix = base;
    for (let i = 1; this.taken.has(prefix); i++) prefix = `${base}${i}`;
    this.taken.add(prefix);
    this.byNamespace.set(namespace, prefix);
    return prefix;
  }
}

export const isMember = ({ name, namespace }: XmlName): boolean => name === 'member' && isOwnVocabulary(namespace);
