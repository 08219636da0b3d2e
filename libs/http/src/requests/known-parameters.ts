import 'reflect-metadata';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { addProblem, DomainError, escapePointer, type Problem } from '#kernel';
import { type DtoClass, fieldsOf } from './shape.js';

/** Nest's number of a `@Query()` in the metadata of a handler: `4:0` is its first argument. */
const QUERY = /^4:(\d+)$/;
const PLAIN_TYPES: readonly unknown[] = [undefined, Object, String, Number, Boolean, Array];

/** Unknown names that are compared with the known ones: who sends more has no typing error. */
const MOST_COMPARED = 10;

type Handler = (...args: never[]) => unknown;

/**
 * Refuses query parameters that a route of the API does not have, so that a typo does not answer a wider question. Links from outside
 * (Digital Links, pages of passports) pass unknown parameters on (docs/spec/api.md#conventions).
 */
@Injectable()
export class KnownParameters implements NestInterceptor {
  private readonly known = new WeakMap<Handler, ReadonlySet<string>>();

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { url, query, routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
    if (url.includes('?') && routeOptions.url?.startsWith('/api/')) this.check(context, query as Readonly<Record<string, unknown>>);
    return next.handle();
  }

  private check(context: ExecutionContext, query: Readonly<Record<string, unknown>>): void {
    const handler = context.getHandler() as Handler;
    let names = this.known.get(handler);
    if (!names) this.known.set(handler, (names = parametersOf(context.getClass(), handler)));
    const unknown = Object.keys(query).filter((name) => !names.has(name));
    if (unknown.length === 0) return;
    const problems: Problem[] = [];
    for (const [i, name] of unknown.entries()) addProblem(problems, () => problemOf(name, [...names], i < MOST_COMPARED));
    throw unknownParameter(problems);
  }
}

/** The code is that of the problem and of each of its errors. */
const unknownParameter = (errors: readonly Problem[]): DomainError =>
  new DomainError(
    'unknown_parameter',
    400,
    errors.length === 1 ? errors[0]!.message : `The request has ${errors.length} unknown parameters.`,
    {
      errors,
    },
  );

function parametersOf(controller: object, handler: Handler): ReadonlySet<string> {
  const { prototype } = controller as { readonly prototype: object };
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler.name) ?? {}) as Readonly<Record<string, { data?: unknown }>>;
  const types = (Reflect.getMetadata('design:paramtypes', prototype, handler.name) ?? []) as readonly unknown[];
  const names = Object.entries(args).flatMap(([key, { data }]) => {
    const index = QUERY.exec(key)?.[1];
    if (index === undefined) return [];
    if (typeof data === 'string') return [data];
    const type = types[Number(index)];
    return PLAIN_TYPES.includes(type) ? [] : [...fieldsOf(type as DtoClass).keys()];
  });
  return new Set(names);
}

function problemOf(name: string, known: readonly string[], compares: boolean): Problem {
  const near = compares ? nearest(name, known) : null;
  const hint = near ? `; did you mean ${near}?` : known.length > 0 ? `; it has ${known.toSorted().join(', ')}.` : ' nor any other.';
  return {
    pointer: `/${escapePointer(name)}`,
    code: 'unknown_parameter',
    message: `This request has no parameter ${name.slice(0, 100)}${hint}`,
  };
}

function nearest(name: string, known: readonly string[]): string | null {
  let best: { readonly name: string; readonly edits: number } | null = null;
  for (const candidate of known) {
    const most = Math.max(2, Math.floor(candidate.length / 2));
    // There are at least as many edits as the lengths differ.
    if (Math.abs(name.length - candidate.length) > most) continue;
    const edits = distance(name, candidate);
    if (edits <= most && (best === null || edits < best.edits)) best = { name: candidate, edits };
  }
  return best?.name ?? null;
}

/** Letters to insert, delete, replace or swap with their neighbour (optimal string alignment), in any case. */
function distance(a: string, b: string): number {
  const [from, to] = [a.slice(0, 64).toLowerCase(), b.slice(0, 64).toLowerCase()];
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row.push(
        Math.min(
          rows[i - 1]![j]! + 1,
          row[j - 1]! + 1,
          rows[i - 1]![j - 1]! + same,
          swapped ? rows[i - 2]![j - 2]! + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    rows.push(row);
  }
  return rows[from.length]![to.length]!;
}
