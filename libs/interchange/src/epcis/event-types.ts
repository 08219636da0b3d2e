/** The five types of EPCIS 2.0. */
export const EVENT_TYPES = ['ObjectEvent', 'AggregationEvent', 'AssociationEvent', 'TransactionEvent', 'TransformationEvent'] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export const isEventType = (value: unknown): value is EventType => (EVENT_TYPES as readonly unknown[]).includes(value);
