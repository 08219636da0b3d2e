import {
  BooleanField,
  EnumField,
  IntegerField,
  JsonObjectField,
  NumberField,
  ObjectListField,
  PageQuery,
  PageView,
  StringField,
  TokenIdField,
} from '#http';
import type { Drill } from './drill.js';

export class DrillBody {
  @TokenIdField({ description: 'The lot; drawn at random when absent', optional: true })
  tokenId?: number | string;

  @BooleanField({
    description: 'Ask the holders too: they acknowledge the drill at `/api/v1/recalls/{id of the drill}/acknowledgements`',
    optional: true,
    default: false,
  })
  ask: boolean = false;
}

export class DrillsQuery extends PageQuery {}

export class DrillQuery {
  @EnumField(['json', 'csv'], { description: 'Format of the answer', optional: true, default: 'json' })
  format: 'json' | 'csv' = 'json';
}

export class DrillView {
  @StringField({ description: 'The drill', format: 'uuid' })
  id: string;

  @IntegerField({ description: 'The lot' })
  tokenId: number;

  @StringField({ description: 'Its traceability lot code' })
  tlc: string;

  @BooleanField({ description: 'Whether the lot was drawn' })
  drawn: boolean;

  @StringField({ description: 'When', format: 'date-time' })
  startedAt: string;

  @StringField({ description: 'User or API key' })
  startedBy: string;

  @BooleanField({ description: 'Whether the holders are asked to acknowledge it' })
  asks: boolean;

  @NumberField({ description: '0 to 100' })
  score: number;

  @JsonObjectField({
    description:
      'traceBack, traceForward, massBalance (kilograms), kde (missing key data elements), custodians (unreachable ones), estimatedUnits, elapsedMs, and `parts`: what each adds to the score, 0 to 1',
  })
  report: object;
}

export const drillView = ({ tokenId, startedAt, ...drill }: Drill): DrillView => ({
  ...drill,
  tokenId: Number(tokenId),
  startedAt: startedAt.toISOString(),
});

export class DrillPageView extends PageView {
  @ObjectListField(() => DrillView, { description: 'Newest first' })
  data: readonly DrillView[];
}
