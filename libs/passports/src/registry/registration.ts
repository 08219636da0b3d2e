import { canonicalJson } from '#kernel';
import type { DppDocument } from '../composing/dpp-document.js';

export const REGISTRATION_STATES = ['waiting', 'registered', 'refused'] as const;
export type RegistrationState = (typeof REGISTRATION_STATES)[number];
export type RegistrationAction = 'register' | 'withdraw';

/** How a tenant registers its passports. */
export interface RegistrySetting {
  /** Of the registry; null: entries are fetched as a batch file only. */
  readonly url: string | null;
  /** Where the back-up is served; null without one. */
  readonly backUpUrl: string | null;
  /** PEM: the certificate of the seal, then those that issued it. */
  readonly certificateChain: string;
  /** PEM of the key, wrapped. */
  readonly wrappedKey: string;
  readonly changedAt: Date;
}

/** What a registry keeps of a passport: identifiers and pointers, no data (Article 13 of (EU) 2024/1781). */
interface RegistrationEntry {
  readonly action: RegistrationAction;
  readonly digitalProductPassportId: string;
  readonly uniqueProductIdentifier: string;
  readonly granularity: string;
  readonly economicOperatorId: string;
  readonly facilityId: string | null;
  /** HS or TARIC code. */
  readonly commodityCode: string | null;
  readonly dppSchemaVersion: string;
  readonly version: number;
  readonly lastUpdated: string;
  readonly versionHash: { readonly algorithm: 'sha-256'; readonly value: string };
  readonly backUpLink: string | null;
}

/** The version of a passport that is to be registered. */
export interface RegistrableVersion {
  readonly passportId: string;
  readonly version: number;
  readonly action: RegistrationAction;
  /** In full representation. */
  readonly document: string;
  readonly hash: string;
}

/** A registration entry and what became of it. */
export interface Registration extends Pick<RegistrableVersion, 'passportId' | 'version' | 'action'> {
  /** Of the entries of its passport, from 1. */
  readonly number: number;
  readonly state: RegistrationState;
  /** Canonical JSON. */
  readonly entry: string;
  /** Detached JAdES signature of its bytes. */
  readonly seal: string;
  /** Of the registry. */
  readonly registrationId: string | null;
  /** Why it is refused, or still waits after an attempt. */
  readonly reasonCode: string | null;
  readonly reason: string | null;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly settledAt: Date | null;
}

/** What a registry said of one entry of a batch file. */
export type BatchOutcome = Pick<Registration, 'passportId' | 'number'> &
  ({ readonly registrationId: string } | { readonly code: string; readonly message: string | null });

/** Where a back-up answers of a passport. */
export const backUpPath = (passportId: string): string => `/v1/dpps/${passportId}`;

/** The text of an entry: the same for the same version. */
export function entryText({ passportId, version, action, document, hash }: RegistrableVersion, backUpUrl: string | null): string {
  const { elements, ...header } = JSON.parse(document) as DppDocument;
  const code = elements.find(({ elementId }) => elementId === 'hsCode');
  const entry: RegistrationEntry = {
    action,
    digitalProductPassportId: header.digitalProductPassportId,
    uniqueProductIdentifier: header.uniqueProductIdentifier,
    granularity: header.granularity,
    economicOperatorId: header.economicOperatorId,
    facilityId: header.facilityId ?? null,
    commodityCode: code !== undefined && 'value' in code && typeof code.value === 'string' ? code.value : null,
    dppSchemaVersion: header.dppSchemaVersion,
    version,
    lastUpdated: header.lastUpdated,
    versionHash: { algorithm: 'sha-256', value: hash },
    backUpLink: backUpUrl === null ? null : backUpUrl + backUpPath(passportId),
  };
  return canonicalJson(entry);
}

const FIRST_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 6 * 3_600_000;

/** Before the next attempt, after so many. @param asked what the registry asked for */
export const waitMs = (attempts: number, asked: number | null): number =>
  Math.min(LONGEST_WAIT_MS, Math.max(asked ?? 0, FIRST_WAIT_MS * 2 ** Math.min(attempts - 1, 20)));
