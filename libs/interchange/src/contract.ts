/** What the domain tells in other formats, in the words of the context that knows it. */
export type {
  EventAccount,
  EventShape as RecordedEvent,
  EventShapeLine as RecordedLine,
  LotAtEvent as LotThen,
  LotFootprint,
} from '#traceability';
