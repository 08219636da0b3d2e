/** What is written in other formats, in the words of the context that knows it. */
export type {
  EventAccount,
  EventFilter,
  RecordShape as RecordedEvent,
  RecordLine as RecordedLine,
  StateAfter as LotThen,
  TreeFootprint,
} from '#traceability';
