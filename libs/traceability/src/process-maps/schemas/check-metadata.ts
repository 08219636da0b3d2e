import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SharedCache } from '#kernel';
import type { PublishedProcess } from '../process-map.js';
import { areLarge, schemaApplies, setTextIssues, textIssues } from './metadata-text.js';
import { type CompiledSchema, mergedSchema, NO_FAULTS, SchemaCompiler, type SchemaVerdict, tooLong } from './schema-compiler.js';
import { SchemaThreads, TookTooLong } from './schema-threads.client.js';

/** Compiled on the thread that answers requests: a schema of this weight takes some 20 ms, once. */
const MAX_WEIGHT = 600;
/** Comparisons of `spend` on the thread that answers requests: up to 5 ms. */
const MAX_COST = 20_000;
/** One tenant's schemas are compiled on that thread at this interval at most. */
const COMPILE_EVERY_MS = 250;
/** Memory of a compiled schema by each part of its weight: the code of two validators, and what they refer to. */
const BYTES_OF_PART = 2 * 1024;
const BYTES_OF_ENTRY = 1024;
const MiB = 1024 * 1024;
const REMEMBERED = { whole: 256 * MiB, share: 32 * MiB };
const MOST_TENANTS = 1_000;

interface KnownSchema {
  readonly weight: number;
  compiled: CompiledSchema | null;
}

/**
 * Holds metadata against the schema of a process. What a bound shows to be quick is done at once; all else, and metadata that do not fit,
 * by a thread with a deadline (docs/spec/domain.md#schemas-of-a-map).
 */
@Injectable()
export class CheckMetadata implements OnApplicationBootstrap {
  private readonly compiler = new SchemaCompiler();
  /** By tenant, map and process: what one tenant compiles pushes nothing of another one out. */
  private readonly known = new SharedCache<KnownSchema>(REMEMBERED, ({ compiled }) => {
    if (compiled) this.compiler.forget(compiled);
  });
  private readonly lastCompiled = new Map<string, number>();

  constructor(private readonly threads: SchemaThreads) {}

  /** The first schema takes five times as long as later ones: no request has to wait for it. */
  onApplicationBootstrap(): void {
    const text = { type: 'string', minLength: 1, pattern: '^[A-Z]{2}$' };
    const parts = { a: text, b: { enum: ['x'] }, c: { type: 'array', items: text }, d: { type: 'string', format: 'date-time' } };
    const schema = {
      type: 'object',
      required: ['a'],
      properties: { ...parts, e: { anyOf: [{ type: 'object', properties: parts }, text] } },
    };
    this.compiler.of(schema).accepts({ a: 'XX', c: ['XX'], d: '2026-01-01T00:00:00Z' }, MAX_COST);
  }

  /** @throws as `inThread` */
  async verdict(tenantId: string, published: PublishedProcess, metadata: object): Promise<SchemaVerdict> {
    return this.atOnce(tenantId, published, metadata) ?? (await this.inThread(tenantId, published, metadata));
  }

  /** The verdict on metadata that fit, or that have no text to store, where finding out is quick; null where `inThread` has to find out. */
  atOnce(tenantId: string, published: PublishedProcess, metadata: object): SchemaVerdict | null {
    if (areLarge(metadata)) return null;
    return this.quickVerdict(tenantId, published, metadata) ?? (schemaApplies(textIssues(metadata)) ? null : NO_FAULTS);
  }

  private quickVerdict(tenantId: string, published: PublishedProcess, metadata: object): SchemaVerdict | null {
    const known = this.known.get(tenantId, keyOf(published));
    if (!known || known.weight > MAX_WEIGHT) return null;
    known.compiled ??= this.mayCompile(tenantId) ? this.compiler.of(schemaOf(published)) : null;
    return known.compiled?.accepts(metadata, MAX_COST) === true ? NO_FAULTS : null;
  }

  /** @throws DomainError 429 `rate_limited` when too much of the tenant's waits, 503 `service_busy` when no processor is free */
  async inThread(tenantId: string, published: PublishedProcess, metadata: object): Promise<SchemaVerdict> {
    const key = keyOf(published);
    try {
      const { text, verdict, weight } = await this.threads.run(tenantId, {
        kind: 'judge',
        owner: tenantId,
        key,
        schema: schemaOf(published),
        metadata: JSON.stringify(metadata),
        readsText: areLarge(metadata),
      });
      if (text !== null) setTextIssues(metadata, text);
      // Counted as if it were compiled here, which the next metadata may do.
      const bytes = BYTES_OF_ENTRY + (weight <= MAX_WEIGHT ? weight * BYTES_OF_PART : 0);
      this.known.set(tenantId, key, this.known.get(tenantId, key) ?? { weight, compiled: null }, bytes);
      return verdict;
    } catch (error) {
      if (error instanceof TookTooLong)
        return tooLong('took too long to compare with the schema of this process: send less, or simplify the schema');
      throw error;
    }
  }

  private mayCompile(tenantId: string): boolean {
    const now = performance.now();
    if (now - (this.lastCompiled.get(tenantId) ?? -COMPILE_EVERY_MS) < COMPILE_EVERY_MS) return false;
    this.lastCompiled.delete(tenantId);
    this.lastCompiled.set(tenantId, now);
    if (this.lastCompiled.size > MOST_TENANTS) this.lastCompiled.delete(this.lastCompiled.keys().next().value!);
    return true;
  }
}

const keyOf = ({ map, processType }: PublishedProcess): string => `${map.cid} ${processType}`;

const schemaOf = ({ map, processType }: PublishedProcess) => ({
  ...mergedSchema(map.document, processType),
  $id: `urn:pm:${map.document.key}:${map.document.version}:${processType}`,
});
