import { AsyncLocalStorage } from 'node:async_hooks';

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';
/** Names as in OpenTelemetry's semantic conventions. Never a value of a caller, a parameter of a statement or a part of a secret. */
export type Facts = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  readonly kind?: SpanKind;
  readonly facts?: Facts;
  /** W3C `traceparent` of what brought it about; null: begins a trace, as one that cannot be read does; absent: the span that is open here. */
  readonly parent?: string | null;
}

export interface Span {
  readonly traceId: string;
  /** W3C `traceparent`, for who goes on with it later or elsewhere; null where the trace is not recorded. */
  readonly traceparent: string | null;
  add(facts: Facts): void;
  /** Names another span that has to do with this one, by its `traceparent`. */
  link(traceparent: string): void;
  /** @param error told by its kind alone: a message may hold what a caller sent */
  fail(error: unknown): void;
  end(): void;
}

/** What makes spans; `openTracing` gives the one of this process. */
export interface Tracer {
  begin(name: string, options: SpanOptions, here: Span | undefined): Span;
}

let tracer: Tracer | null = null;
const open = new AsyncLocalStorage<Span>();

/** Null: nothing is traced, and each of the functions below costs one look at this variable. */
export function traceBy(one: Tracer | null): void {
  tracer = one;
}

export const tracingIsOn = (): boolean => tracer !== null;

/** The innermost span that the caller runs in. */
export const currentSpan = (): Span | undefined => (tracer === null ? undefined : open.getStore());

/** The same where it is recorded: only then is it worth telling of a step in it. */
export function recordedSpan(): Span | undefined {
  const span = currentSpan();
  return span && span.traceparent !== null ? span : undefined;
}

/** For what ends elsewhere; the caller ends it. Null where nothing is traced. */
export const beginSpan = (name: string, options: SpanOptions = {}): Span | null => tracer?.begin(name, options, open.getStore()) ?? null;

export const within = <T>(span: Span, work: () => T): T => open.run(span, work);

/** Runs `work` in a span of its own. */
export function inSpan<T>(name: string, options: SpanOptions, work: (span: Span | null) => Promise<T>): Promise<T> {
  const span = beginSpan(name, options);
  return span ? ended(span, () => open.run(span, () => work(span))) : work(null);
}

/** A step of something that is recorded. Alone, as what a worker looks for each second, it is no trace. */
export function inStep<T>(name: string, options: SpanOptions, work: (span: Span | null) => Promise<T>): Promise<T> {
  return recordedSpan() ? inSpan(name, options, work) : work(null);
}

async function ended<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

/** A use case as a step of its own: `@Step('prepare event')` on its one public method. */
export const Step =
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
        return inStep(name, {}, () => work.apply(this, args));
      },
    };
  };
