export { type OpenTracing, type TracingSettings, openTracing } from './open-tracing.js';
export { readTraceparent } from './open-tracing.js';
export {
  type Facts,
  Span,
  type SpanOptions,
  beginSpan,
  currentSpan,
  inSpan,
  inChildSpan,
  recordedSpan,
  tracingIsOn,
  within,
} from './spans.js';
