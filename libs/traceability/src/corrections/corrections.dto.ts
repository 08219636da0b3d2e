import { EnumField, JsonObjectField, StringField, StringListField, plainJson } from '#http';
import { DeclarationView, declarationView } from '#prepare';
import { ERROR_REASONS, type ErrorReason } from '../contract/preparation.js';
import type { PreparedVoid } from './prepare-void.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Error declaration of docs/spec/domain.md#event-record. */
export class VoidBody {
  @EnumField(ERROR_REASONS, { description: 'Error reason of the CBV' })
  reason: ErrorReason;

  @StringListField({ description: 'Landed events that state what happened instead', optional: true, maxItems: 100, each: UUID })
  correctiveEventIDs?: string[];

  @JsonObjectField({ checkedByRoute: true, description: 'A note, stored with the declaration', optional: true })
  metadata?: Record<string, unknown>;

  @StringField({ description: 'EIP-55 address that will sign: one of your own; absent: your wallet', optional: true, nullable: true })
  from?: string | null;
}

export class SupersedeBody {
  @EnumField(ERROR_REASONS, { description: 'Error reason of the CBV; `incorrect_data` when absent', optional: true })
  reason?: ErrorReason;

  @JsonObjectField({ checkedByRoute: true, description: 'The whole content as it should have been, validated like that of a new event' })
  metadata: Record<string, unknown>;

  @StringField({ description: 'EIP-55 address that will sign: one of your own; absent: your wallet', optional: true, nullable: true })
  from?: string | null;
}

export class PreparedVoidView extends DeclarationView {
  @JsonObjectField({ description: '`{ method, args }`: the call that was prepared' })
  metadata: object;
}

export const preparedVoidView = (prepared: PreparedVoid): PreparedVoidView =>
  Object.assign(declarationView(prepared), { metadata: { method: prepared.method, args: plainJson(prepared.args) } });
