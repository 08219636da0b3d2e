import { namespacesOf } from '../epcis/indexed-event.js';
import { NC_NAME, XSI } from './xml-element.js';

const MASTER_DATA = 'urn:epcglobal:cbv:mda:';
/** Of the context of EPCIS itself. */
const KNOWN: Readonly<Record<string, string>> = { cbvmda: MASTER_DATA, gs1: 'https://ref.gs1.org/voc/' };
const NAMED_BY_US: ReadonlySet<string> = new Set(['xml', 'xmlns', 'xsi', 'trc', 'epcis', 'epcisq']);

export const escapeXml = (text: string): string =>
  text
    .replaceAll(/[&<>"\r\n\t]/g, (one) => ESCAPES[one]!)
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}');
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
  '\n': '&#10;',
  '\t': '&#9;',
};

/** The names of one event in XML, and the namespaces that they need. */
export class XmlNames {
  private readonly prefixes = new Map<string, string>();
  private readonly namespaces: Readonly<Record<string, string>>;

  /** @param contexts of the document and the event */
  constructor(...contexts: readonly unknown[]) {
    this.namespaces = { ...KNOWN, ...namespacesOf(...contexts) };
  }

  /** `<prefix>:<name>`; null for a name that XML cannot have, or whose prefix means nothing. */
  of(key: string): string | null {
    const colon = key.indexOf(':');
    if (colon < 0) return NC_NAME.test(key) ? key : null;
    const [prefix, name] = [key.slice(0, colon), key.slice(colon + 1)];
    const namespace = Object.hasOwn(this.namespaces, prefix) ? this.namespaces[prefix]! : '';
    if (namespace === '' || namespace === XSI || !NC_NAME.test(name)) return null;
    return `${this.prefixOf(namespace === MASTER_DATA ? namespace.slice(0, -1) : namespace, prefix)}:${name}`;
  }

  /** Attributes that declare the prefixes which were used. */
  get declarations(): string {
    return [...this.prefixes].map(([namespace, prefix]) => ` xmlns:${prefix}="${escapeXml(namespace)}"`).join('');
  }

  private prefixOf(namespace: string, wanted: string): string {
    const known = this.prefixes.get(namespace);
    if (known !== undefined) return known;
    const base = NC_NAME.test(wanted) && !NAMED_BY_US.has(wanted) ? wanted : 'ns';
    const taken = new Set(this.prefixes.values());
    let prefix = base;
    for (let i = 1; taken.has(prefix); i++) prefix = `${base}${i}`;
    this.prefixes.set(namespace, prefix);
    return prefix;
  }
}
