import { refusal } from '#kernel';

export const ownOrganisationOnly = refusal(
  'own_organisation_only',
  403,
  () => 'An administrator of an organisation reads the reports of that organisation.',
);
