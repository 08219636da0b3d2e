import { JsonObjectField, StringField } from '#http';
import { ApiProperty } from '@nestjs/swagger';
import { LIMITS, LIMIT_NAMES } from '../../domain/alerts/thresholds.js';

export class AcknowledgeBody {
  @StringField({ description: 'Why, or what is being done', optional: true, maxLength: 500 })
  note?: string;

  @StringField({ description: 'Silent until then: neither listed nor counted (ISO 8601 with an offset)', optional: true, maxLength: 40 })
  muteUntil?: string;
}

/** The limits by name, for the document. */
const LIMITS_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    LIMIT_NAMES.map((name) => {
      const { default: usual, min, max, sentence } = LIMITS[name];
      return [name, { type: 'number' as const, minimum: min, maximum: max, default: usual, description: sentence }];
    }),
  ),
} as const;

export class AlertLimitsView {
  @ApiProperty({ ...LIMITS_SCHEMA, description: 'What holds now; what a process map says wins over it' })
  limits: Readonly<Record<string, number>>;

  @ApiProperty({ ...LIMITS_SCHEMA, description: 'What the tenant set itself' })
  own: Readonly<Record<string, number>>;
}

export class AlertLimitsBody {
  @JsonObjectField({ description: 'Limits by name; null takes one back to its default, and what is absent stays' })
  limits: Readonly<Record<string, unknown>>;
}
