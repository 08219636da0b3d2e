import { UnitOfWork } from '#persistence';
import type { TraceabilityClient } from '#client';
import { World } from '../harness/world.js';

export type Body = Record<string, any>;
type Slug = 'rice' | 'wool' | 'seafood';

interface SavedPointer {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly value: string;
  readonly matches: boolean;
}

/** The rice and wool scenarios with callers that read their reports, and callers of seafood. */
export class ReportsWorld {
  private constructor(
    readonly world: World,
    readonly rice: TraceabilityClient,
    readonly wool: TraceabilityClient,
    readonly seafood: TraceabilityClient,
    private readonly keys: Readonly<Record<Slug, string>>,
  ) {}

  static async start(): Promise<ReportsWorld> {
    const world = await World.start();
    await Promise.all([world.play('rice'), world.play('wool')]);
    const [rice, wool, seafood] = await Promise.all([world.admin('rice'), world.admin('wool'), world.admin('seafood')]);
    const keyOf = async (admin: TraceabilityClient): Promise<string> =>
      (await admin.post<{ secret: string }>('/api/v1/api-keys', { name: 'reads tables', roles: ['COMPLIANCE'] })).secret;
    const keys = { rice: await keyOf(rice), wool: await keyOf(wool), seafood: await keyOf(seafood) };
    return new ReportsWorld(world, rice, wool, seafood, keys);
  }

  close(): Promise<void> {
    return this.world.close();
  }

  read(slug: string, path: string): Promise<Body> {
    return this[slug as Slug].get<Body>(`/api/v1/reports/${path}`);
  }

  async file(slug: Slug, path: string): Promise<{ bytes: Buffer; headers: Headers }> {
    const answer = await fetch(`${this.world.baseUrl}/api/v1/reports/${path}`, { headers: { 'x-api-key': this.keys[slug] } });
    return { bytes: Buffer.from(await answer.arrayBuffer()), headers: answer.headers };
  }

  async csv(slug: Slug, path: string): Promise<{ text: string; headers: Headers }> {
    const { bytes, headers } = await this.file(slug, path);
    return { text: bytes.toString(), headers };
  }

  /** As the check of data references saves it. */
  async savePointer(slug: Slug, orgId: string, { id, kind, subject, value, matches }: SavedPointer): Promise<void> {
    const tenantId = await this.tenantIdOf(slug);
    const status = matches ? 'ok' : 'mismatch';
    await this.world.service.app.get(UnitOfWork).inTransaction({ tenantId }, async (tx) => {
      await tx.sql(
        `insert into reporting.pointer (tenant_id, id, kind, subject_kind, subject_id, value, resolved, matches, status, detail, org_ids, checked_at)
         values ($1, $2, $3, 'event', $4, $5, true, $6, $7, '', array[$8], now())`,
        [tenantId, id, kind, subject, value, matches, status, orgId],
      );
      await tx.sql(
        `insert into reporting.pointer_tally as t (tenant_id, org_id, day, kind, status, n, matching) values ($1, $2, '-infinity', $3, $4, 1, $5)
         on conflict (tenant_id, org_id, day, kind, status) do update set n = t.n + 1, matching = t.matching + excluded.matching`,
        [tenantId, orgId, kind, status, matches ? 1 : 0],
      );
    });
  }

  async tenantIdOf(slug: string): Promise<string> {
    return (await this[slug as Slug].get<{ tenantUuid: string }>('/api/v2/auth/me')).tenantUuid;
  }

  async orgIdOf(slug: Slug, name: string): Promise<string> {
    const { data } = await this[slug].get<{ data: { id: string; name: string }[] }>('/api/v1/organisations?limit=100');
    return data.find((one) => one.name === name)!.id;
  }
}
