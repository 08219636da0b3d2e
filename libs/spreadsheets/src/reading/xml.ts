import sax, { type QualifiedTag, type SAXOptions, type SAXParser, type Tag } from 'sax';
import { UnreadableFile } from '../table.js';
import { feedParser } from './feed-parser.js';

const OPTIONS: SAXOptions & { readonly strictEntities: true } = { strictEntities: true, position: false };

/** Tags in each other, and attributes of one; office files have about ten. The parser remembers all of them. */
const MOST_OPEN = 64;
const MOST_ATTRIBUTES = 256;

export interface XmlHandler {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  close?(name: string): void;
  text?(text: string): void;
}

/**
 * Reads XML as it arrives. Names are without their prefix.
 * @throws UnreadableFile `external_entities` for a document type, which may name files and repeat itself; `file_damaged`
 */
export class XmlReader {
  private readonly sax: SAXParser;
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });
  private fault: Error | null = null;

  constructor(handler: XmlHandler) {
    // No entities but those of XML; the types of the package do not know the option.
    this.sax = sax.parser(true, OPTIONS);
    this.sax.ondoctype = () =>
      this.stop(new UnreadableFile('external_entities', 'The file has a document type, which could read other files. It was not read.'));
    this.sax.onerror = () => this.stop(unreadable());
    this.sax.onsgmldeclaration = () => this.stop(unreadable());
    let [open, attributes] = [0, 0];
    this.sax.onattribute = () => {
      if (++attributes > MOST_ATTRIBUTES) this.stop(unreadable());
    };
    this.sax.onopentag = (tag: Tag | QualifiedTag) => {
      if (++open > MOST_OPEN) this.stop(unreadable());
      attributes = 0;
      handler.open?.(local(tag.name), tag.attributes as Record<string, string>);
    };
    this.sax.onclosetag = (name) => {
      open--;
      handler.close?.(local(name));
    };
    this.sax.ontext = (text) => handler.text?.(text);
    this.sax.oncdata = (text) => handler.text?.(text);
  }

  write(bytes: Uint8Array): void {
    this.feed(() => this.text(this.decoder.decode(bytes, { stream: true })));
  }

  end(): void {
    this.feed(() => {
      this.text(this.decoder.decode());
      this.sax.close();
    });
  }

  private text(text: string): void {
    for (const _ of feedParser(this.sax, text, MOST_ATTRIBUTES, () => this.stop(unreadable()))) if (this.fault) return;
  }

  private stop(fault: Error): void {
    this.fault ??= fault;
  }

  private feed(work: () => unknown): void {
    try {
      work();
    } catch (error) {
      throw this.fault ?? (error instanceof UnreadableFile ? error : unreadable());
    }
    if (this.fault) throw this.fault;
  }
}

const unreadable = (): UnreadableFile => new UnreadableFile('file_damaged', 'The file has XML that cannot be read.');
const local = (name: string): string => name.slice(name.indexOf(':') + 1);

export async function readXml(parts: AsyncIterable<Uint8Array>, handler: XmlHandler): Promise<void> {
  const reader = new XmlReader(handler);
  for await (const part of parts) reader.write(part);
  reader.end();
}
