export * from './access/access.js';
export { BodyAdmission, type RouteHandler } from './access/body-admission.js';
export { type CallerRequest, CurrentRights } from './access/current-rights.js';
export { createHttpApp } from './app/app.js';
export { drain } from './app/drain.js';
export { type StoppingRequest, stopSignalOf } from './app/stop-signal.js';
export * from './health/health.js';
export { IDEMPOTENCY_KEY, REPLAYED } from './idempotency/answer.js';
export { IdempotencyModule, httpPersistence } from './idempotency/idempotency.module.js';
export { IdempotencyStore } from './idempotency/idempotency-store.js';
export { MemoryRateLimiter } from './limits/memory-rate-limiter.js';
export { type RateLimit, type RateLimitState, RateLimiter } from './limits/rate-limiter.js';
export { LimitAs, PUBLIC_LIMIT, type PublicLimit, RateLimits, network, rateLimited } from './limits/rate-limits.js';
export { RedisRateLimiter } from './limits/redis-rate-limiter.js';
export { NestLogger, START_FAILED, createLogger } from './logging/logger.js';
export { Deprecated, EstimatesCalls, PreparesCall } from './openapi/describe-operation.js';
export { openApi, openApiDocument, WEBHOOKS_EXTENSION } from './openapi/serve.js';
export { swagger2 } from './openapi/swagger2.js';
export * from './problems/api-problems.js';
export { HeavyWork, serviceBusy, tooManyHeavyRequests } from './heavy-work/heavy-work.js';
export { HeavyWorkModule } from './heavy-work/heavy-work.interceptor.js';
export { Heavy, HeavyForPublic, isWholeList, isWideWalk } from './heavy-work/heavy.js';
export { HeldBytes, tooManyBytesWaiting } from './heavy-work/held-bytes.js';
export { type PublicReader, PublicWork } from './heavy-work/public-work.js';
export { BatchedQuestions } from './heavy-work/batched-questions.js';
export { SharedWork } from './heavy-work/shared-work.js';
export { type ProblemDetails, itemProblem, problemOf } from './problems/problem.js';
export { type ProblemForm, WritesProblemsAs } from './problems/problem-form.js';
export { PROBLEM_JSON } from './problems/problem-filter.js';
export * from './problems/refusals.js';
export * from './requests/fields.js';
export { type BodyRules, ReadsBody, parseJsonBody, readJsonBody } from './requests/json-body.js';
export { UploadedFile } from './requests/multipart-body.js';
export { XmlBody } from './requests/xml-body.js';
export { negotiate } from './requests/negotiate.js';
export type { OriginRequest } from './requests/public-origin.js';
export { RequestPipe, isPlainObject, readBody } from './requests/read-dto.js';
export { type ListCursor, instantIn, isTimeOfCursor, listCursor, periodIn, tokenId, tokenIds } from './requests/values.js';
export { codingFor, type VaryingReply, vary } from './responses/compress.js';
export { CreatedAt } from './responses/location.js';
export {
  Edits,
  HasETag,
  IfMatch,
  NotModified,
  type TaggedReply,
  contentTag,
  hasState,
  isUnchanged,
  mayKeep,
  taggedBy,
} from './responses/entity-tag.js';
export * from './responses/page.dto.js';
export { TABLE_CONTENT, TableQuery, listOrTable } from './responses/table.dto.js';
export * from './responses/text-pieces.js';
