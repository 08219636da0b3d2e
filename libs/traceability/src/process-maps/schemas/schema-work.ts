import { type Problem, SharedCache } from '#kernel';
import { processMapSchema } from '../../templates/templates.js';
import { ProcessMapCheck } from '../process-map-check.js';
import { versionProblems } from '../process-map-version.js';
import type { ProcessMapDocument } from '../process-map.js';
import type { Issue } from '../event-reading.js';
import { schemaApplies, textIssues } from './metadata-text.js';
import { type CompiledSchema, NO_FAULTS, SchemaCompiler, type SchemaVerdict } from './schema-compiler.js';

/** What the service asks a thread to do with something that a tenant wrote. */
export type SchemaWork =
  | { readonly kind: 'check'; readonly document: unknown }
  | { readonly kind: 'compare'; readonly older: ProcessMapDocument; readonly newer: ProcessMapDocument }
  | {
      readonly kind: 'judge';
      readonly schema: { readonly [keyword: string]: unknown };
      /** As JSON text: a thread is sent a copy, and an object takes long to copy. */
      readonly metadata: string;
      /** Whether their text is to be read, too. */
      readonly readsText: boolean;
      readonly key: string;
      readonly owner: string;
    };

/** What comes back from the thread that did it. */
export interface SchemaAnswers {
  readonly check: readonly Problem[];
  readonly compare: readonly Problem[];
  /** `text`: what `textIssues` says, where it was asked. */
  readonly judge: { readonly text: readonly Issue[] | null; readonly verdict: SchemaVerdict; readonly weight: number };
}

/** Parts of compiled schemas that a thread keeps, and those of one tenant: the most that a map may have. */
const MOST_KEPT_PARTS = { whole: 40_000, share: 20_000 };

/** Does the work; lives as long as its thread. */
export class SchemaWorker {
  private check: ProcessMapCheck | null = null;
  private readonly compiler = new SchemaCompiler();
  private readonly kept = new SharedCache<CompiledSchema>(MOST_KEPT_PARTS, (unused) => this.compiler.forget(unused));

  /** @param see gets the place in the document that is checked next, and a call when a schema is compiled */
  perform(work: SchemaWork, see: (pointer: string) => void): SchemaAnswers[SchemaWork['kind']] {
    if (work.kind === 'check') {
      this.check ??= new ProcessMapCheck(processMapSchema);
      return this.check.problems(work.document, see);
    }
    if (work.kind === 'compare') return versionProblems(work.older, work.newer);
    const schema = this.schema(work);
    const metadata = JSON.parse(work.metadata) as object;
    schema.compileFor(metadata);
    see('');
    const text = work.readsText ? textIssues(metadata) : null;
    const verdict = text === null || schemaApplies(text) ? schema.verdict(metadata) : NO_FAULTS;
    return { text, verdict, weight: schema.weight };
  }

  private schema({ owner, key, schema }: SchemaWork & { readonly kind: 'judge' }): CompiledSchema {
    const known = this.kept.get(owner, key);
    if (known) return known;
    const compiled = this.compiler.of(schema);
    this.kept.set(owner, key, compiled, compiled.plan.parts);
    return compiled;
  }
}
