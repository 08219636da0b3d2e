import { CursorField, BooleanField, EnumField, PageQuery, StringField, TokenIdField } from '#http';
import { EVENT_STATUSES } from '../../domain/event-status.js';
import { PROCESS_KINDS } from '../../domain/process-map.js';

const FORMAT = {
  description: '`json` (default) or `epcis`: an EPCISDocument, as `Accept: application/ld+json` asks for too',
  optional: true,
  maxLength: 20,
} as const;

/** In which format one event is answered. */
export class EventQuery {
  @StringField(FORMAT)
  format?: string;
}

/** How a list of events is answered: page by page, and in which format. */
export class FormatQuery extends PageQuery {
  @CursorField()
  cursor?: string;

  @StringField(FORMAT)
  format?: string;

  @BooleanField({ description: 'Every event in one answer, written as fast as it is read; not as `json`', optional: true })
  all?: boolean;
}

export class LotEventsQuery extends FormatQuery {
  @BooleanField({ description: 'Events of everything the lot was made from, and of everything that became of it', optional: true })
  tree?: boolean;
}

/** domain-decisions §2.5 */
export class EventsQuery extends FormatQuery {
  @StringField({ description: 'Key in the process map', optional: true, maxLength: 200 })
  processType?: string;

  @EnumField(PROCESS_KINDS, { description: 'Kind of process', optional: true })
  kind?: string;

  @EnumField(['landed', ...EVENT_STATUSES, 'all'], { description: '`landed` (default): recorded, voided or superseded', optional: true })
  status?: string;

  @TokenIdField({ description: 'A lot that it names, as input or output', optional: true })
  tokenId?: string;

  @StringField({ description: 'The code of such a lot', optional: true, minLength: 1, maxLength: 200 })
  tlc?: string;

  @StringField({ description: 'Organisation that recorded it', optional: true, maxLength: 100 })
  orgId?: string;

  @StringField({ description: 'eventTime from here on: ISO 8601 with an offset, or a date (UTC)', optional: true, maxLength: 40 })
  from?: string;

  @StringField({ description: 'eventTime before this, in the same form', optional: true, maxLength: 40 })
  to?: string;
}
