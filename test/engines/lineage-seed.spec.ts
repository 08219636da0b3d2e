import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hex, keccakOf, newId } from '#kernel';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { processMapTemplate, traceabilityPersistence } from '#traceability';
import { walletOf } from '#traceability/testing';
import { type SeedSize, type SeededTenant, fillTenant, sizeOf } from '../../bench/seed-fill.js';
import type { Landmarks } from '../../bench/seed-landmarks.js';

const SIZE: SeedSize = { ...sizeOf(1200), landmarks: { chains: 5, levels: 6, rungs: 5, hubChildren: 230 } };

describe('a tenant filled with value chains', () => {
  let db: TestDatabase;
  let tenant: SeededTenant;
  let landmarks: Landmarks;

  beforeAll(async () => {
    db = await cloneTestDatabase([traceabilityPersistence]);
    tenant = await emptyTenant();
    landmarks = await fillTenant(db.unitOfWork, tenant, SIZE, () => Promise.resolve());
  });
  afterAll(() => db.drop());

  async function emptyTenant(): Promise<SeededTenant> {
    const id = newId();
    for (const map of ['rice', 'wool'])
      await rows(
        id,
        `insert into traceability.process_map (tenant_id, name, version, document, cid, published_at, published_by)
         values ($1, $2, '1.0.0', $3, 'bafk', now(), 'test') returning name`,
        map,
        JSON.stringify(processMapTemplate(map)),
      );
    const organisations = { [walletOf('a')]: newId(), [walletOf('b')]: newId() };
    return { id, slug: 'filled', contract: walletOf('contract'), chainId: 31_337, organisations };
  }
  const rows = (tenantId: string, text: string, ...more: unknown[]): Promise<Record<string, unknown>[]> =>
    db.unitOfWork.inTransaction({ tenantId }, (tx) => tx.sql(text, [tenantId, ...more]));
  const numberOf = async (text: string, ...more: unknown[]): Promise<number> => Number((await rows(tenant.id, text, ...more))[0]!['n']);
  /** Lots that lead from a root, by the plainest query that ends. */
  const reach = (root: number, near: string, far: string): Promise<number> =>
    numberOf(
      `with recursive r as (
         select $2::bigint as token union
         select e.${far} from r join traceability.edge e on e.tenant_id = $1 and e.${near} = r.token
       ) select count(*) - 1 as n from r`,
      root,
    );

  it('has as many lots and edges as were asked for', async () => {
    expect(await numberOf('select count(*) as n from traceability.lot where tenant_id = $1 and to_block is null')).toBe(SIZE.lots);
    expect(await numberOf('select count(*) as n from traceability.edge where tenant_id = $1')).toBe(SIZE.edges);
    expect(await numberOf(`select count(*) as n from traceability.edge where tenant_id = $1 and kind = 'containment'`)).toBeGreaterThan(
      100,
    );
  });

  it('has the shapes that are measured', async () => {
    const { chains, levels, rungs, hubChildren } = SIZE.landmarks;
    expect(await reach(landmarks.tree, 'from_token', 'to_token')).toBe(chains * levels);
    expect(await reach(landmarks.confluence, 'to_token', 'from_token')).toBe(chains * levels);
    expect(await reach(landmarks.ladderFoot, 'from_token', 'to_token')).toBe(2 * rungs + 1);
    expect(await reach(landmarks.hub, 'from_token', 'to_token')).toBe(hubChildren);
  });

  it('knows the words of every event and lot', async () => {
    expect(
      await numberOf('select count(*) as n from traceability.event where tenant_id = $1 and (not resolved or process_type is null)'),
    ).toBe(0);
    expect(await numberOf('select count(*) as n from traceability.lot where tenant_id = $1 and (not resolved or asset_type is null)')).toBe(
      0,
    );
    expect(await numberOf('select count(distinct tlc) as n from traceability.lot where tenant_id = $1')).toBe(SIZE.lots);
  });

  it('loses nothing: of every lot, what is left and what was used is what was made', async () => {
    const unbalanced = await numberOf(
      `with used as (
         select token_id, sum(amount) as amount from traceability.event e, unnest(e.input_token_ids, e.consumed) as u(token_id, amount)
         where e.tenant_id = $1 and e.containment_mode = 0 group by token_id)
       select count(*) as n from traceability.lot l left join used u using (token_id)
       where l.tenant_id = $1 and l.to_block is null and l.quantity <> l.remaining + coalesce(u.amount, 0)`,
    );
    expect(unbalanced).toBe(0);
  });

  it('is the same in every run', async () => {
    const again = { ...(await emptyTenant()), contract: tenant.contract, organisations: tenant.organisations };
    await fillTenant(db.unitOfWork, again, SIZE, () => Promise.resolve());
    const print = async (id: string): Promise<Hex> =>
      keccakOf(
        JSON.stringify([
          await rows(
            id,
            'select from_token, to_token, event_id, quantity, block_number from traceability.edge where tenant_id = $1 order by 1, 2',
          ),
          await rows(
            id,
            'select token_id, tlc, remaining, container_token_id, from_block, to_block from traceability.lot where tenant_id = $1 order by 1, 5, from_log',
          ),
        ]),
      );
    expect(await print(again.id)).toBe(await print(tenant.id));
  });
});
