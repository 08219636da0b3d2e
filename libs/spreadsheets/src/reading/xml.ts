import sax, { type QualifiedTag, type SAXOptions, type SAXParser, type Tag } from 'sax';
import { UnreadableFile } from '../table.js';

const OPTIONS: SAXOptions & { readonly strictEntities: true } = { strictEntities: true, position: false };

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
    this.sax.onerror = () => this.stop(new UnreadableFile('file_damaged', 'The file has XML that cannot be read.'));
    this.sax.onopentag = ({ name, attributes }: Tag | QualifiedTag) => handler.open?.(local(name), attributes as Record<string, string>);
    this.sax.onclosetag = (name) => handler.close?.(local(name));
    this.sax.ontext = (text) => handler.text?.(text);
    this.sax.oncdata = (text) => handler.text?.(text);
  }

  write(bytes: Uint8Array): void {
    this.feed(() => this.sax.write(this.decoder.decode(bytes, { stream: true })));
  }

  end(): void {
    this.feed(() => this.sax.write(this.decoder.decode()).close());
  }

  private stop(fault: Error): void {
    this.fault ??= fault;
  }

  private feed(work: () => unknown): void {
    try {
      work();
    } catch (error) {
      throw (
        this.fault ??
        (error instanceof UnreadableFile ? error : new UnreadableFile('file_damaged', 'The file has XML that cannot be read.'))
      );
    }
    if (this.fault) throw this.fault;
  }
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1);

export async function readXml(parts: AsyncIterable<Uint8Array>, handler: XmlHandler): Promise<void> {
  const reader = new XmlReader(handler);
  for await (const part of parts) reader.write(part);
  reader.end();
}
