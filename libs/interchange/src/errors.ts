import { type Problem, refusal } from '#kernel';

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
  (index: number) => `The same event occurs earlier in this document, at index ${index}.`,
  (index) => ({ index }),
);

export const eventIdTaken = refusal('event_id_taken', 409, (eventID: string) => `Another event has the eventID ${eventID}.`);

export const captureRolledBack = refusal(
  'capture_rolled_back',
  409,
  () => 'Another event of the document is not valid, so none was captured (GS1-Capture-Error-Behaviour: rollback).',
);

export const captureJobNotFound = refusal('capture_job_not_found', 404, (id: string) => `There is no capture job ${id}.`);

export const epcisEventNotFound = refusal('event_not_found', 404, (eventID: string) => `There is no event ${eventID}.`);

export const epcisEventRecorded = refusal(
  'epcis_event_recorded',
  409,
  (eventID: string) => `The event ${eventID} is on chain. It can be voided, and values of it erased.`,
);

export const epcisQueryNotFound = refusal('epcis_query_not_found', 404, (name: string) => `There is no query ${name}.`);

export const epcisQueryNameTaken = refusal('epcis_query_name_taken', 409, (name: string) => `There is a query ${name} already.`);

export const epcisQuerySubscribed = refusal(
  'epcis_query_subscribed',
  409,
  (name: string) => `The query ${name} has subscriptions: delete them first.`,
);

export const epcisSubscriptionNotFound = refusal('epcis_subscription_not_found', 404, (id: string) => `There is no subscription ${id}.`);

export const tooManyEpcisQueries = refusal(
  'too_many_epcis_queries',
  422,
  (most: number) => `A tenant has at most ${most} queries with a name: delete one.`,
);

export const queryTooLarge = refusal(
  'query_too_large',
  413,
  (most: number) => `More than ${most} events match, which is the maxEventCount of the query.`,
);

export const epcisCollectionUnknown = refusal(
  'epcis_collection_not_found',
  404,
  (name: string, names: readonly string[]) => `There is no collection ${name}. Collections: ${names.join(', ')}.`,
);

export const declaredEventUnknown = refusal(
  'event_not_found',
  404,
  (eventID: string) => `There is no event ${eventID} that could be declared wrong.`,
);

export const importNotFound = refusal('import_not_found', 404, (id: string) => `No import ${id}.`);

export const importMappingNotFound = refusal('import_mapping_not_found', 404, (id: string) => `No mapping ${id}.`);

export const importUnderway = refusal('import_underway', 409, () => 'The import is being worked on. Wait for its end, or cancel it.');

export const importNotUnderway = refusal(
  'import_not_underway',
  409,
  () => 'The import is not being worked on, so there is nothing to cancel.',
);

export const importNotChecked = refusal(
  'import_not_checked',
  409,
  (why: string) => `The events are prepared after a check of every row: ${why}`,
);

export const importWithoutMapping = refusal('import_without_mapping', 409, () => 'The import has no mapping yet: check it with one first.');

export const importTemplateNotFound = refusal(
  'import_template_not_found',
  404,
  (processType: string) => `No process map has the process ${processType}.`,
);

export const importProcessUnknown = refusal(
  'import_process_unknown',
  422,
  (processType: string) => `No process map has the process ${processType}.`,
);

export const exporterUnknown = refusal(
  'export_format_unknown',
  404,
  (name: string, names: readonly string[]) => `There is no export format ${name}. Formats: ${names.join(', ')}.`,
  (_, formats) => ({ formats }),
);

export const lotNotFound = refusal('lot_not_found', 404, (tokenId: bigint) => `No lot ${tokenId}.`);

export const lotVoided = refusal('lot_voided', 409, (tlc: string) => `Lot ${tlc} was voided with the event that made it.`);

export const exportIncomplete = refusal(
  'export_incomplete',
  422,
  (what: string) => `The history of this lot is too large for one document (${what}); a part of it would be misleading.`,
);

export const tooLarge = refusal('export_too_large', 422, (limit: string) => `The document would have more than ${limit}.`);

const few = (names: readonly string[]): string =>
  names.slice(0, 10).join(', ') + (names.length > 10 ? ` and ${names.length - 10} more` : '');

const sentences = (errors: readonly Problem[]): string => few(errors.map(({ message }) => message.replace(/\.$/, '')));

export const exportDataMissing = refusal(
  'export_data_missing',
  422,
  (errors: readonly Problem[]) => `The format requires what nobody recorded, or what you may not see: ${sentences(errors)}.`,
  (errors) => ({ errors }),
);

export const exportDataUnfit = refusal(
  'export_data_unfit',
  422,
  (errors: readonly Problem[]) => `The format does not allow what was recorded: ${sentences(errors)}.`,
  (errors) => ({ errors }),
);

export const plotsMissing = refusal(
  'plots_missing',
  422,
  (tlcs: readonly string[]) => `No plot of land is known, or visible to you, for ${few(tlcs)}; a statement needs the plots of all origins.`,
  (lots) => ({ lots }),
);

export const plotsUnfit = refusal(
  'plots_unfit',
  422,
  (all: readonly { readonly tlc: string; readonly plot: string; readonly fault: string }[]) =>
    `Plots cannot be used in a statement: ${few(all.map(({ tlc, plot, fault }) => `plot ${plot} of ${tlc}, ${fault}`))}.`,
  (plots) => ({ plots }),
);

export const noFootprint = refusal(
  'no_footprint',
  422,
  (tlc: string) => `No carbon footprint was declared for lot ${tlc} or what it is made of.`,
);

export const noDeclaredUnit = refusal(
  'no_declared_unit',
  422,
  (tlc: string) => `The footprint of lot ${tlc} cannot be given per kilogram or per piece: its mass is not known.`,
);

export const producerUnknown = refusal(
  'producer_unknown',
  422,
  (tlc: string) => `The organisation that made lot ${tlc} is not known, so the document would have no issuer.`,
);
