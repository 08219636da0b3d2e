import type { Problem } from '#kernel';
import { processMapSchema } from '../../templates/templates.js';
import { ProcessMapCheck } from '../process-map-check.js';
import { versionProblems } from '../process-map-version.js';
import type { ProcessMapDocument } from '../process-map.js';
import { type CompiledSchema, SchemaCompiler, type SchemaVerdict } from './schema-compiler.js';

/** What the service asks a thread to do with something that a tenant wrote. */
export type SchemaWork =
  | { readonly kind: 'check'; readonly document: unknown }
  | { readonly kind: 'compare'; readonly older: ProcessMapDocument; readonly newer: ProcessMapDocument }
  | { readonly kind: 'judge'; readonly schema: { readonly [keyword: string]: unknown }; readonly metadata: object; readonly key: string };

/** What comes back from the thread that did it. */
export interface SchemaAnswers {
  readonly check: readonly Problem[];
  readonly compare: readonly Problem[];
  readonly judge: { readonly verdict: SchemaVerdict; readonly weight: number };
}

const MAX_KEPT_PARTS = 40_000;

/** Does the work; lives as long as its thread. */
export class SchemaWorker {
  private check: ProcessMapCheck | null = null;
  private readonly compiler = new SchemaCompiler();
  private readonly kept = new Map<string, CompiledSchema>();
  private keptParts = 0;

  /** @param see gets the place in the document that is checked next, and a call when a schema is compiled */
  perform(work: SchemaWork, see: (pointer: string) => void): SchemaAnswers[SchemaWork['kind']] {
    if (work.kind === 'check') {
      this.check ??= new ProcessMapCheck(processMapSchema);
      return this.check.problems(work.document, see);
    }
    if (work.kind === 'compare') return versionProblems(work.older, work.newer);
    const schema = this.schema(work.key, work.schema);
    schema.compileFor(work.metadata);
    see('');
    return { verdict: schema.verdict(work.metadata), weight: schema.weight };
  }

  private schema(key: string, schema: { readonly [keyword: string]: unknown }): CompiledSchema {
    const known = this.kept.get(key);
    if (known) {
      this.kept.delete(key);
      this.kept.set(key, known); // newest last
      return known;
    }
    const compiled = this.compiler.of(schema);
    this.kept.set(key, compiled);
    this.keptParts += compiled.plan.parts;
    for (const [oldest, unused] of this.kept) {
      if (this.keptParts <= MAX_KEPT_PARTS || oldest === key) break;
      this.kept.delete(oldest);
      this.keptParts -= unused.plan.parts;
      this.compiler.forget(unused);
    }
    return compiled;
  }
}
