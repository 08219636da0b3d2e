export { type OpenTracing, type TracingSettings, openTracing } from './open-tracing.js';
export { readTraceparent } from './traceparent.js';
export {
  type Facts,
  type Span,
  type SpanOptions,
  Step,
  beginSpan,
  currentSpan,
  inSpan,
  inStep,
  recordedSpan,
  tracingIsOn,
  within,
} from './tracing.js';
