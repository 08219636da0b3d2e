import type { FastifyInstance } from 'fastify';

/** Which methods the routes of an application take at a path: asked only when no route took the request. */
export class AllowedMethods {
  private readonly methods = new Map<string, Set<string>>();
  private patterns: readonly (readonly [RegExp, ReadonlySet<string>])[] | null = null;

  /** Hears of every route that is made from now on. */
  static of(fastify: FastifyInstance): AllowedMethods {
    const allowed = new AllowedMethods();
    fastify.addHook('onRoute', ({ url, method }) => {
      // Takes every path: it says nothing of any.
      if (url !== '*' && url !== '/*') allowed.add(url, [method].flat());
    });
    return allowed;
  }

  /** @param path as it was asked for, without its query @returns in the order of the alphabet; none where there is nothing */
  at(path: string): readonly string[] {
    this.patterns ??= [...this.methods].map(([url, methods]) => [patternOf(url), methods] as const);
    const found = this.patterns.filter(([pattern]) => pattern.test(path)).flatMap(([, methods]) => [...methods]);
    return [...new Set(found)].toSorted();
  }

  private add(url: string, methods: readonly string[]): void {
    const known = this.methods.get(url) ?? new Set();
    for (const method of methods) known.add(method);
    this.methods.set(url, known);
    this.patterns = null;
  }
}

/** `/lots/:id` and `/assets/*`; a path of a route ends without a slash, as it is asked for. */
function patternOf(url: string): RegExp {
  const escaped = url.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll(/:\w+/g, '[^/]+').replaceAll('*', '.*')}$`);
}
