import { refusal } from '#kernel';

export const ownOrganisationOnly = refusal(
  'own_organisation_only',
  403,
  () => 'An administrator of an organisation reads the reports of that organisation.',
);

export const alertNotFound = refusal('alert_not_found', 404, (id: string) => `No alert ${id} stands.`);

export const muteInPast = refusal('mute_in_past', 422, () => 'An alert is muted until a time that is still to come.');
