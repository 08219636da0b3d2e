import { EnumField, JsonObjectField, StringField, StringListField } from '#http';
import { ERROR_REASONS, type ErrorReason } from '../../domain/correction.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Error declaration of domain-decisions §2.5. */
export class VoidBody {
  @EnumField(ERROR_REASONS, { description: 'Error reason of the CBV' })
  reason: ErrorReason;

  @StringListField({ description: 'Landed events that say what was so instead', optional: true, maxItems: 100, each: UUID })
  correctiveEventIDs?: string[];

  @JsonObjectField({ description: 'A note, stored with the declaration', optional: true })
  metadata?: Record<string, unknown>;

  @StringField({ description: 'EIP-55 address that will sign: one of your own; absent: your wallet', optional: true, nullable: true })
  from?: string | null;
}

export class SupersedeBody {
  @EnumField(ERROR_REASONS, { description: 'Error reason of the CBV; `incorrect_data` when absent', optional: true })
  reason?: ErrorReason;

  @JsonObjectField({ description: 'The whole content as it should have been, validated like that of a new event' })
  metadata: Record<string, unknown>;

  @StringField({ description: 'EIP-55 address that will sign: one of your own; absent: your wallet', optional: true, nullable: true })
  from?: string | null;
}
