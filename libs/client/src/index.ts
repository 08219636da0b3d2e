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
  DrillPageView,
  DrillView,
  EventPageView,
  EventView,
  FootprintView,
  GraphEdgeView,
  GraphNodeView,
  GraphView,
  IdentityView,
  IssueView,
  LotPageView,
  LotView,
  Operations,
  OrganisationView,
  PreparedCustodyView,
  PreparedEventView,
  PreparedRecallView,
  ProcessMapDocumentView,
  ProcessMapPageView,
  RecallImpactView,
  RecallPageView,
  RecallView,
  TrackedPageView,
  TransferPageView,
  TransferView,
  VerdictView,
  WebhookView,
} from './generated/api.js';
