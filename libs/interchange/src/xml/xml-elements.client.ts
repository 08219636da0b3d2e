import { malformedRequest } from '#http';
import { yieldToEventLoop } from '#kernel';
import { feedParser } from '#spreadsheets';
import sax, { type QualifiedAttribute, type QualifiedTag, type SAXOptions, type SAXParser, type Tag } from 'sax';
import type { XmlAttribute, XmlDocument, XmlElement, XmlName } from './xml-element.js';

/** No entities but those of XML; the types of the package do not know the option. */
const OPTIONS: SAXOptions & { readonly strictEntities: true } = { xmlns: true, position: true, strictEntities: true };
/** A document of EPCIS 1.2 has seven levels around an event, which has at most 64. */
const MAX_DEPTH = 80;
/** Elements and attributes: ten thousand events have about 400,000. */
const MAX_VALUES = 1_000_000;
/** Attributes of one element; EPCIS has a dozen, and a root declares its namespaces. */
const MAX_ATTRIBUTES = 256;
/** Declarations of namespaces that apply in one place: the parser copies all of them at the end of each element. */
const MAX_NAMESPACES = 100;
const PART = 16 * 1024;
/** Milliseconds after which other requests go on. Each of them needs control several times. */
const SLICE_MS = 3;
/** A document type that declares nothing and refers to nothing. */
const NAME_ALONE = /^\s*[\w:.-]+\s*$/;
const XMLNS = 'http://www.w3.org/2000/xmlns/';

type OpenElement = XmlElement & { readonly attributes: XmlAttribute[]; readonly children: XmlElement[]; text: string };

/**
 * Reads a document of at most 80 levels and a million values.
 * @throws DomainError 400 for what is not well-formed XML in UTF-8, with the line; for a document type with declarations or an address
 */
export async function readElements(bytes: Uint8Array): Promise<XmlDocument> {
  const reader = new ElementReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const textOf = (part?: Uint8Array): string => {
    try {
      return part ? decoder.decode(part, { stream: true }) : decoder.decode();
    } catch {
      throw refused('not_utf8', 'The body is not UTF-8 text.');
    }
  };
  for (let from = 0; from < bytes.length; from += PART) await reader.write(textOf(bytes.subarray(from, from + PART)));
  await reader.write(textOf());
  return reader.end();
}

class ElementReader {
  private readonly parser: SAXParser = sax.parser(true, OPTIONS);
  private readonly open: OpenElement[] = [];
  private readonly prefixes = new Map<string, string>();
  private root: XmlElement | null = null;
  private values = 0;
  private namespaces = 0;
  private started = performance.now();

  constructor() {
    this.parser.onerror = (error) => this.refuse('not_xml', `The body is not valid XML: ${reasonOf(error)}.`);
    this.parser.ondoctype = (given) => {
      if (!NAME_ALONE.test(given)) this.refuse('document_type', 'A document type may not declare or refer to anything.');
    };
    this.parser.onsgmldeclaration = () => this.refuse('not_xml', 'The body has a declaration that XML does not know.');
    this.parser.onopennamespace = ({ prefix, uri }) => {
      this.prefixes.set(prefix, uri);
      if (++this.namespaces > MAX_NAMESPACES)
        this.refuse('too_many', `More than ${MAX_NAMESPACES} declarations of namespaces apply in one place.`);
    };
    this.parser.onclosenamespace = () => void this.namespaces--;
    this.parser.onopentag = (tag) => this.begin(tag);
    this.parser.onclosetag = () => this.close();
    this.parser.ontext = (text) => this.text(text);
    this.parser.oncdata = (text) => this.text(text);
  }

  async write(text: string): Promise<void> {
    const refuse = (): never => this.refuse('too_many', `A tag has more than ${MAX_ATTRIBUTES} attributes, or a declaration does not end.`);
    for (const _ of feedParser(this.parser, text, MAX_ATTRIBUTES, refuse)) {
      if (performance.now() - this.started < SLICE_MS) continue;
      await yieldToEventLoop();
      this.started = performance.now();
    }
  }

  end(): XmlDocument {
    this.parser.close();
    if (!this.root) return this.refuse('not_xml', 'The body has no element.');
    return { root: this.root, prefixes: this.prefixes };
  }

  private begin(tag: Tag | QualifiedTag): void {
    const given = Object.values(tag.attributes as Record<string, QualifiedAttribute>);
    this.values += 1 + given.length;
    if (this.values > MAX_VALUES) this.refuse('too_many_values', 'The body has more than a million elements and attributes.');
    if (this.open.length >= MAX_DEPTH) this.refuse('too_deep', `The body is nested deeper than ${MAX_DEPTH} levels.`);
    const attributes = given
      .filter(({ uri, name }) => uri !== XMLNS && name !== 'xmlns')
      .map((one) => ({ ...this.named(one), value: one.value }));
    if (this.open.length === 0 && this.root) this.refuse('not_xml', 'The body has more than one outermost element.');
    this.open.push({
      ...this.named(tag as QualifiedTag),
      line: this.parser.line + 1,
      start: this.parser.startTagPosition - 1,
      attributes,
      children: [],
      text: '',
    });
  }

  private named({
    local: name,
    prefix,
    uri: namespace,
  }: {
    readonly local: string;
    readonly prefix: string;
    readonly uri: string;
  }): XmlName {
    // The parser finds `constructor` among what every object has.
    if (typeof namespace !== 'string' || name === '__proto__')
      return this.refuse('forbidden_name', 'A name has a prefix without a namespace.');
    return { name, prefix, namespace };
  }

  private close(): void {
    const element = this.open.pop()!;
    element.text = element.text.trim();
    const parent = this.open.at(-1);
    if (parent) parent.children.push(element);
    else this.root = element;
  }

  private text(text: string): void {
    const element = this.open.at(-1);
    if (element) element.text += text;
  }

  private refuse(code: string, message: string): never {
    throw refused(code, `${message} Line ${this.parser.line + 1}.`);
  }
}

const refused = (code: string, message: string) => malformedRequest([{ pointer: '', code, message }]);

/** The parser's own words, which may quote the document behind the first line. */
const reasonOf = ({ message }: Error): string =>
  message
    .split('\n', 1)[0]!
    .slice(0, 200)
    .replace(/[.:\s]+$/, '');
