/** Columns of what contents seal: without a dump there are no keys, and these values are lost for good. */
export const SEALED_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  'traceability.event': [
    ...['metadata', 'location', 'documents', 'kde', 'event_time', 'event_time_zone_offset', 'late', 'declared_loss_kg', 'declared_reason'],
    ...['yield_min', 'yield_max', 'mass_tolerance', 'content_state'],
  ],
  'recall.recall': ['reason', 'recall_class', 'depth', 'propagation', 'reference', 'instructions', 'prepared_affected', 'prepared_block'],
};
