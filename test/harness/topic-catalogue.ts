import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { TraceabilityClient } from '#client';

export interface TopicDescription {
  readonly topic: string;
  readonly description: string;
  readonly schema: { readonly properties: { readonly data: { readonly properties: Readonly<Record<string, unknown>> } } };
  readonly example: TopicBody;
}

export interface TopicBody {
  readonly event: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What `GET /api/v1/webhooks/topics` promises of every body, held against bodies. */
export class TopicCatalogue {
  private constructor(
    readonly topics: readonly TopicDescription[],
    private readonly validators: ReadonlyMap<string, ValidateFunction>,
  ) {}

  static async read(admin: TraceabilityClient): Promise<TopicCatalogue> {
    return TopicCatalogue.of(await admin.get<TopicDescription[]>('/api/v1/webhooks/topics'));
  }

  static of(topics: readonly TopicDescription[]): TopicCatalogue {
    const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
    (formats as unknown as (ajv: Ajv2020) => void)(ajv);
    return new TopicCatalogue(topics, new Map(topics.map(({ topic, schema }) => [topic, ajv.compile(schema)])));
  }

  /** Where a body is not as its topic's schema says, and fields that the schema is silent about: it would be out of date. */
  faults(body: TopicBody): string[] {
    const described = this.topics.find(({ topic }) => topic === body.event);
    if (!described) return [`no topic ${body.event}`];
    const valid = this.validators.get(body.event)!;
    const broken = valid(body) ? [] : valid.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`);
    const known = described.schema.properties.data.properties;
    return [...broken, ...Object.keys(body.data).flatMap((field) => (field in known ? [] : [`/data/${field} is not described`]))];
  }
}
