import { refusal } from '#kernel';

export const eventCaptured = refusal(
  'event_captured',
  409,
  (eventId: string | null) =>
    eventId === null ? 'The same event is being captured by another request.' : `The same event was captured before, as ${eventId}.`,
  (eventId) => ({ eventId }),
);

export const eventRepeated = refusal(
  'event_repeated',
  409,
  (index: number) => `The same event stands earlier in this document, at ${index}.`,
  (index) => ({ index }),
);

export const eventIdTaken = refusal('event_id_taken', 409, (eventID: string) => `Another event has the eventID ${eventID}.`);

export const declaredEventUnknown = refusal(
  'event_not_found',
  404,
  (eventID: string) => `There is no event ${eventID} that could be declared wrong.`,
);
