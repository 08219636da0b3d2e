import { StringField } from '#http';

/** What tells a lot of an event from others with its code. */
export class NamedLotView {
  @StringField({ description: 'Its GTIN', nullable: true })
  gtin: string | null;

  @StringField({ description: 'Serial number of a single item', nullable: true })
  serial: string | null;
}
