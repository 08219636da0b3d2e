import { refusal } from '#kernel';

export const ownOrganisationOnly = refusal(
  'own_organisation_only',
  403,
  () => 'An administrator of an organisation can only read the reports of that organisation.',
);

export const sheetTooLarge = refusal(
  'sheet_too_large',
  422,
  (most: number) => `An XLSX file has at most ${most} rows. Choose a period, or read the report as CSV.`,
);

export const alertNotFound = refusal('alert_not_found', 404, (id: string) => `There is no open alert ${id}.`);

export const muteInPast = refusal('mute_in_past', 422, () => 'An alert can only be muted until a time in the future.');

export const noticeTopicUnknown = refusal(
  'notice_topic_unknown',
  404,
  (name: string, topics: readonly string[]) => `There are no notices about ${name}. Topics: ${topics.join(', ')}.`,
  (_, topics) => ({ topics }),
);
