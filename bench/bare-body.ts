import { JsonObjectField, StringField } from '#http';

/** A harvest as bare routes take it: validated like every body, and by none of our rules. */
export class BareBody {
  @StringField({ description: 'as of an event' })
  processType: string;

  @StringField({ description: 'as of an event' })
  outputTlc: string;

  @JsonObjectField({ description: 'as of an event' })
  metadata: object;
}
