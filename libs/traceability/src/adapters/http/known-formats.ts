import { malformedRequest } from '#http';
import { Injectable } from '@nestjs/common';
import { type EventFormat, EventFormats } from '../../contract.js';

@Injectable()
export class KnownFormats extends EventFormats {
  private readonly formats: EventFormat[] = [];

  override add(format: EventFormat): void {
    this.formats.push(format);
  }

  override asked(format: string | undefined, accept: string | undefined): EventFormat | null {
    if (format === undefined) return this.acceptedBy(accept ?? '');
    if (format === 'json') return null;
    const found = this.formats.find(({ name }) => name === format);
    if (found) return found;
    const names = ['json', ...this.formats.map(({ name }) => name)].join(', ');
    throw malformedRequest([{ pointer: '/format', code: 'unknown_format', message: `Formats are ${names}.` }]);
  }

  /** The first type in the header that is served; JSON for a browser's long list. */
  private acceptedBy(accept: string): EventFormat | null {
    for (const range of accept.split(',')) {
      const type = range.split(';', 1)[0]!.trim().toLowerCase();
      const found = this.formats.find(({ mediaType }) => mediaType === type);
      if (found) return found;
      if (type === 'application/json' || type === '*/*' || type === 'application/*') return null;
    }
    return null;
  }
}
