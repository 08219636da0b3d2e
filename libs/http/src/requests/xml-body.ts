import { hash } from 'node:crypto';

export const XML_TYPES = ['application/xml', 'text/xml'];

/** A body of XML as it came: the route that takes it reads it. */
export class XmlBody {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  /** What tells two requests with the same Idempotency-Key apart. */
  toJSON(): object {
    return { sha256: hash('sha256', this.#bytes, 'hex') };
  }
}
