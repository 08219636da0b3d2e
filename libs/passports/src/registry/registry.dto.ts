import { EnumField, IntegerField, JsonObjectField, NumberedPageView, ObjectListField, PageQuery, StringField } from '#http';
import { type DomainError, invalidContent } from '#kernel';
import { PASSPORT_ID } from '../issuing/passports.dto.js';
import { type BatchOutcome, REGISTRATION_STATES, type Registration, type RegistrySetting } from './registration.js';
import { checkChain, readChain } from './seal-certificate.rules.js';

/** Of a batch file; the next one has the others, when the outcomes of the first are known. */
export const MOST_IN_BATCH = 1_000;
const WORD_CHARACTERS = 500;
const URL_CHARACTERS = 2_000;
const PEM_CHARACTERS = 30_000;

export class RegistrySettingsBody {
  @StringField({
    description: '`https` address to which entries are sent; null: they are fetched as a batch file',
    example: 'https://registry.example/registrations',
    nullable: true,
    optional: true,
    maxLength: URL_CHARACTERS,
  })
  url?: string | null;

  @StringField({
    description: '`https` address at which the back-up of the passports is served; null without one',
    example: 'https://back-up.example/rice',
    nullable: true,
    optional: true,
    maxLength: URL_CHARACTERS,
  })
  backUpUrl?: string | null;

  @StringField({
    description: 'PEM: the certificate of the seal, then those that issued it',
    example: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----',
    minLength: 1,
    maxLength: PEM_CHARACTERS,
  })
  certificateChain: string;

  @StringField({
    description:
      'PEM (PKCS #8) of the key of that certificate: EC (P-256, P-384, P-521) or RSA from 2,048 bits on. Nobody can read it again',
    example: '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----',
    minLength: 1,
    maxLength: PEM_CHARACTERS,
  })
  sealKey: string;
}

export class RegistrySettingsView {
  @StringField({ description: 'Address to which entries are sent; null: they are fetched as a batch file', nullable: true })
  url: string | null;

  @StringField({ description: 'Address of the back-up', nullable: true })
  backUpUrl: string | null;

  @StringField({ description: 'Whom the certificate of the seal names' })
  subject: string;

  @StringField({ description: 'sha2-256 of that certificate' })
  fingerprint: string;

  @StringField({ description: 'Until when it is valid', format: 'date-time' })
  validTo: string;

  @StringField({
    description: 'Why nothing can be sealed with it now: the code of the refusal of a certificate; null while it can',
    nullable: true,
  })
  fault: string | null;

  @StringField({ description: 'Since when it is so', format: 'date-time' })
  changedAt: string;
}

export function registrySettingsView({ url, backUpUrl, certificateChain, changedAt }: RegistrySetting, now: Date): RegistrySettingsView {
  const chain = readChain(certificateChain);
  const [{ subject, fingerprint256, validTo }] = chain as [(typeof chain)[number]];
  return {
    ...{ url, backUpUrl, subject: subject.replaceAll('\n', ', '), fingerprint: fingerprint256.replaceAll(':', '').toLowerCase() },
    validTo: new Date(validTo).toISOString(),
    fault: faultOf(() => checkChain(chain, now)),
    changedAt: changedAt.toISOString(),
  };
}

function faultOf(check: () => void): string | null {
  try {
    check();
    return null;
  } catch (error) {
    return (error as DomainError).code;
  }
}

export class RegistrationQuery extends PageQuery {
  @EnumField(REGISTRATION_STATES, { description: 'Only those in this state', optional: true })
  state?: string;

  @StringField({ description: 'Only those of this passport', optional: true, pattern: PASSPORT_ID })
  passportId?: string;
}

export class RegistrationView {
  @StringField({ description: 'The passport' })
  passportId: string;

  @IntegerField({ description: 'Of the entries of this passport, from 1' })
  number: number;

  @IntegerField({ description: 'Version of the passport that it is about' })
  version: number;

  @EnumField(['register', 'withdraw'], { description: 'What is asked of the registry' })
  action: 'register' | 'withdraw';

  @EnumField(REGISTRATION_STATES, { description: 'What became of it' })
  state: Registration['state'];

  @StringField({ description: 'What the registry calls it', example: 'R-1', nullable: true })
  registrationId: string | null;

  @StringField({
    description: 'Why it was refused, or still waits after an attempt: the code of the registry, `http_…`, or why there was no answer',
    nullable: true,
  })
  reasonCode: string | null;

  @StringField({ description: 'The same in words', nullable: true })
  reason: string | null;

  @IntegerField({ description: 'Attempts to send it' })
  attempts: number;

  @JsonObjectField({ description: 'The entry' })
  entry: object;

  @StringField({ description: 'Detached JAdES signature of the entry as canonical JSON (RFC 8785)' })
  seal: string;

  @StringField({ description: 'When it was sealed', format: 'date-time' })
  createdAt: string;

  @StringField({ description: 'When the registry decided', format: 'date-time', nullable: true })
  settledAt: string | null;
}

export class RegistrationPageView extends NumberedPageView {
  @ObjectListField(() => RegistrationView, { description: 'Newest first' })
  data: RegistrationView[];
}

class BatchEntryView {
  @StringField({ description: 'The passport' })
  passportId: string;

  @IntegerField({ description: 'Of the entries of this passport, from 1' })
  number: number;

  @StringField({ description: 'The entry: the bytes that are sealed, as text' })
  entry: string;

  @StringField({ description: 'Detached JAdES signature of them' })
  seal: string;
}

export class RegistrationBatchView {
  @StringField({ description: 'Of this file' })
  format: string;

  @ObjectListField(() => BatchEntryView, { description: 'Entries that wait, oldest first' })
  entries: BatchEntryView[];
}

export const batchView = (waiting: readonly Registration[]): RegistrationBatchView => ({
  format: 'traceability-registrations/1',
  entries: waiting.map(({ passportId, number, entry, seal }) => ({ passportId, number, entry, seal })),
});

class RegistrationOutcomeBody {
  @StringField({ description: 'The passport', pattern: PASSPORT_ID })
  passportId: string;

  @IntegerField({ description: 'Of the entries of this passport', min: 1 })
  number: number;

  @StringField({
    description: 'What the registry calls the entry, where it has it',
    optional: true,
    minLength: 1,
    maxLength: WORD_CHARACTERS,
  })
  registrationId?: string;

  @StringField({
    description: 'Why it was refused for good',
    example: 'operator_unknown',
    optional: true,
    minLength: 1,
    maxLength: WORD_CHARACTERS,
  })
  code?: string;

  @StringField({ description: 'The same in words', optional: true, maxLength: WORD_CHARACTERS })
  message?: string;
}

export class RegistrationOutcomesBody {
  @ObjectListField(() => RegistrationOutcomeBody, {
    description: 'Of entries that went as a batch file',
    minItems: 1,
    maxItems: MOST_IN_BATCH,
  })
  outcomes: RegistrationOutcomeBody[];
}

/** @throws DomainError 422 where an outcome is both, or neither */
export function outcomesOf({ outcomes }: RegistrationOutcomesBody): readonly BatchOutcome[] {
  const unclear = outcomes.flatMap(({ registrationId, code }, i) =>
    (registrationId === undefined) === (code === undefined)
      ? [{ pointer: `/outcomes/${i}`, code: 'outcome_unclear', message: 'an outcome has a registrationId, or the code of a refusal' }]
      : [],
  );
  if (unclear.length > 0) throw invalidContent(unclear);
  return outcomes.map(({ passportId, number, registrationId, code, message }) =>
    registrationId === undefined ? { passportId, number, code: code!, message: message ?? null } : { passportId, number, registrationId },
  );
}

export class SettledBatchView {
  @IntegerField({ description: 'Entries that the registry has' })
  registered: number;

  @IntegerField({ description: 'Entries that it refused' })
  refused: number;
}

export const registrationView = ({ entry, createdAt, settledAt, ...registration }: Registration): RegistrationView => ({
  ...registration,
  entry: JSON.parse(entry) as object,
  createdAt: createdAt.toISOString(),
  settledAt: settledAt?.toISOString() ?? null,
});
