import { AsyncLocalStorage } from 'node:async_hooks';

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';
/** Attributes of a span, named as in OpenTelemetry's semantic conventions. They never contain a caller's value, a statement parameter or a secret. */
export type Facts = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  readonly kind?: SpanKind;
  readonly facts?: Facts;
  /** W3C `traceparent` of the parent. Null or unreadable: a new trace. Absent: the current span. */
  readonly parent?: string | null;
}

export interface Span {
  readonly traceId: string;
  /** W3C `traceparent`, to continue the trace later or elsewhere; null when the trace is not recorded. */
  readonly traceparent: string | null;
  add(facts: Facts): void;
  /** Links a related span by its `traceparent`. */
  link(traceparent: string): void;
  /** @param error only its type or code is recorded: a message may contain a caller's values */
  fail(error: unknown): void;
  end(): void;
}

/** Creates spans; `openTracing` sets the one of this process. */
export interface Tracer {
  begin(name: string, options: SpanOptions, here: Span | undefined): Span;
}

let tracer: Tracer | null = null;
const current = new AsyncLocalStorage<Span>();

/** Null switches tracing off: the functions below then only check this variable. */
export function useTracer(one: Tracer | null): void {
  tracer = one;
}

export const tracingIsOn = (): boolean => tracer !== null;

/** The innermost span of the caller. */
export const currentSpan = (): Span | undefined => (tracer === null ? undefined : current.getStore());

/** The current span if it is recorded: only then child spans are useful. */
export function recordedSpan(): Span | undefined {
  const span = currentSpan();
  return span && span.traceparent !== null ? span : undefined;
}

/** For a span that the caller ends elsewhere. Null when tracing is off. */
export const beginSpan = (name: string, options: SpanOptions = {}): Span | null => tracer?.begin(name, options, current.getStore()) ?? null;

export const within = <T>(span: Span, work: () => T): T => current.run(span, work);

/** Runs `work` in a new span. */
export function inSpan<T>(name: string, options: SpanOptions, work: (span: Span | null) => Promise<T>): Promise<T> {
  const span = beginSpan(name, options);
  return span ? endAfter(span, () => current.run(span, () => work(span))) : work(null);
}

/** Runs `work` in a child span, if the current span is recorded. Never starts a trace: a worker's poll each second would make one. */
export function inChildSpan<T>(name: string, options: SpanOptions, work: (span: Span | null) => Promise<T>): Promise<T> {
  return recordedSpan() ? inSpan(name, options, work) : work(null);
}

async function endAfter<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

/** Gives a use case a child span: `@Span('prepare event')` on its public method. */
export const Span =
  (name: string) =>
  <Args extends never[], Result>(
    _target: object,
    _key: string,
    method: TypedPropertyDescriptor<(...args: Args) => Promise<Result>>,
  ): TypedPropertyDescriptor<(...args: Args) => Promise<Result>> => {
    const work = method.value!;
    return {
      ...method,
      value(this: unknown, ...args: Args) {
        return inChildSpan(name, {}, () => work.apply(this, args));
      },
    };
  };
