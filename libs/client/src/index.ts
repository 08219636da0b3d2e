export * from './api-problem.js';
export * from './eip1193-wallet.js';
export * from './every.js';
export * from './land.js';
export * from './rpc.js';
export * from './sender.js';
export * from './session.js';
export * from './traceability-client.js';
export * from './types.js';
export * from './webhook-signature.js';
export type {
  AlertsReportView,
  CustodyHistoryView,
  EventPageView,
  EventView,
  FootprintView,
  GraphEdgeView,
  GraphNodeView,
  GraphView,
  IdentityView,
  LotPageView,
  LotView,
  Operations,
  PreparedCustodyView,
  PreparedRecallView,
  RecallImpactView,
  TrackedPageView,
  TransferPageView,
  TransferView,
  WebhookView,
} from './generated/api.js';
