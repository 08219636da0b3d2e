import { UnitOfWork } from '#persistence';
import { Caller, readCost, timed } from './graph-http.js';
import { EdgesInMemory } from './graph-memory.js';
import { type Shape, milliseconds, ourWalk, plainCte, race } from './graph-walks.js';
import { statementsOf } from './graph-explain.js';
import { idleShare } from './processor.js';
import { type Measurement, type Scenario, median } from './report.js';
import { type SeedSize, sizeOf } from './seed-fill.js';
import { type SeededFolder, openSeeded } from './seed-tenant.js';

const DATA = process.env['BENCH_DATA'] ?? '.data-bench';
const LOTS = Number(process.env['BENCH_LOTS'] ?? 1_000_000);
const ALL = { maxDepth: 200, maxNodes: 20_000 };
/** Deep enough to show the growth of a plain CTE, and not so deep that it never ends. */
const CTE_RUNGS = [8, 12, 16, 18];
const TIMEOUT_S = 20;

interface Bench {
  readonly caller: Caller;
  readonly unitOfWork: UnitOfWork;
  readonly seeded: SeededFolder;
  readonly size: SeedSize;
  readonly say: (line: string) => void;
}

export const scenario: Scenario = {
  name: 'graph',
  about: [
    `The lineage walk in a tenant of ${LOTS} lots and ${sizeOf(LOTS).edges} edges, whose chains are interleaved in the tables as they are in life (\`npm run bench:seed\`), in one run with a plain recursive CTE (\`union all\`) on the same indexed table under the same row-level security, and a breadth-first walk of the same edges in the memory of the process. Medians; rounds alternate.`,
    'Then the routes over HTTP, and what the statements of lists read: pages are PostgreSQL pages of 8 KiB, each counted as often as it is visited.',
  ].join(' '),
  async run(say): Promise<readonly Measurement[]> {
    const size = sizeOf(LOTS);
    const { service, seeded } = await openSeeded(DATA, size, say);
    try {
      const { email, password } = seeded.login;
      const caller = await Caller.login(service.baseUrl, email, password, seeded.tenant.slug);
      const bench: Bench = { caller, unitOfWork: service.app.get(UnitOfWork), seeded, size, say };
      return [
        { what: `filling ${size.lots} lots and ${size.edges} edges`, value: seeded.seconds, unit: 's' },
        ...(await walks(bench)),
        ...(await diamonds(bench)),
        ...(await routes(bench)),
        ...(await memory(bench)),
        ...(await lists(bench)),
      ];
    } finally {
      await service.close();
    }
  },
};

async function walks({ unitOfWork, seeded, say }: Bench): Promise<Measurement[]> {
  const { id } = seeded.tenant;
  const { tree, confluence, ladderFoot, hub } = seeded.landmarks;
  const edges = await unitOfWork.inSnapshot({ tenantId: id }, (tx) => EdgesInMemory.load(tx));
  const shapes: Shape[] = [
    { name: 'descendants of a tree', root: tree, direction: 'descendants', ...ALL },
    { name: 'ancestry of a confluence', root: confluence, direction: 'ancestors', ...ALL },
    { name: 'hub, 20,000 at most', root: hub, direction: 'descendants', ...ALL },
  ];
  const rows: Measurement[] = [];
  for (const shape of shapes) {
    say(shape.name);
    rows.push(...(await race({ unitOfWork, tenantId: id, dataDir: DATA }, edges, shape)));
  }
  const inMemory = edges.walk(ladderFoot, 'descendants').size - 1;
  return [...rows, { what: 'lots above the foot of the ladder of diamonds', value: inMemory, unit: 'lots' }];
}

/** The walk reads each edge once; the plain CTE follows each path. */
async function diamonds({ unitOfWork, seeded, size, say }: Bench): Promise<Measurement[]> {
  const scope = { tenantId: seeded.tenant.id };
  const foot = { name: 'ladder', root: seeded.landmarks.ladderFoot, direction: 'descendants' as const };
  const rows: Measurement[] = [];
  const { rungs } = size.landmarks;
  for (const maxDepth of [...CTE_RUNGS.filter((rung) => rung < rungs), rungs + 1]) {
    say(`ladder, ${maxDepth} rungs`);
    const times: number[] = [];
    for (let round = 0; round < 9; round++)
      times.push(
        (await unitOfWork.inSnapshot(scope, (tx) => milliseconds(() => ourWalk(tx, { ...foot, maxDepth, maxNodes: 20_000 })))).took,
      );
    const cte = await unitOfWork
      .inSnapshot(scope, async (tx) => {
        await tx.sql(`set local statement_timeout = '${TIMEOUT_S}s'`);
        return milliseconds(() => plainCte(tx, { ...foot, maxDepth }));
      })
      .then(({ took }) => took)
      .catch(() => null);
    const paths = `2^${Math.min(maxDepth, rungs)} paths`;
    rows.push({ what: `ladder of diamonds, ${maxDepth} levels, ${paths}: walk`, value: median(times), unit: 'ms' });
    rows.push(
      cte === null
        ? { what: `ladder of diamonds, ${maxDepth} levels, ${paths}: plain CTE, stopped after`, value: TIMEOUT_S, unit: 's' }
        : { what: `ladder of diamonds, ${maxDepth} levels, ${paths}: plain CTE`, value: cte, unit: 'ms' },
    );
  }
  return rows;
}

async function routes({ caller, seeded, size, say }: Bench): Promise<Measurement[]> {
  say('routes');
  const { tree, confluence, ladderFoot, ladderTop, hub } = seeded.landmarks;
  const { chains, levels, rungs, hubChildren } = size.landmarks;
  const whole = 'maxDepth=200&maxNodes=20000';
  const ladder = await caller.json<{ nodes: { tokenId: number; paths: number | string }[] }>(
    `/api/v1/nfts/${ladderFoot}/descendants?${whole}`,
  );
  const watch = { dataDir: DATA, idle: await idleShare(DATA) };
  return [
    { what: 'part of a processor that the service takes while nobody asks it anything, taken off below', value: watch.idle, unit: '' },
    ...(await timed(
      caller,
      watch,
      `descendants of a tree of ${chains * levels}`,
      `/api/v1/nfts/${tree}/descendants?${whole}`,
      'under 1000',
    )),
    ...(await timed(caller, watch, `ancestry of ${chains * levels}`, `/api/v1/nfts/${confluence}/ancestry?${whole}`, 'under 1000')),
    ...(await timed(caller, watch, 'the same as a tree', `/api/v1/nfts/${confluence}/ancestry?${whole}&format=tree`)),
    ...(await timed(caller, watch, `hub of ${hubChildren} children, 20,000 at most`, `/api/v1/nfts/${hub}/descendants?${whole}`)),
    ...(await timed(caller, watch, `hub of ${hubChildren} children, defaults`, `/api/v1/nfts/${hub}/descendants`)),
    ...(await timed(caller, watch, 'relations of the hub', `/api/v1/nfts/${hub}/relations`)),
    ...(await timed(caller, watch, 'ladder of diamonds', `/api/v1/nfts/${ladderFoot}/descendants?${whole}`)),
    {
      what: 'paths to the top of the ladder, as answered',
      value: Number(ladder.nodes.find(({ tokenId }) => tokenId === ladderTop)!.paths),
      unit: 'paths',
      limit: `2^${rungs} = ${2 ** rungs}`,
    },
    ...(await timed(
      caller,
      watch,
      `footprint of a lot with ${chains * levels} ancestors`,
      `/api/v1/nfts/${confluence}/footprint`,
      'under 2000',
    )),
  ];
}

/** Whatever a lot leads to, a request takes no more rows into the process than it may show. */
async function memory({ caller, seeded, size, say }: Bench): Promise<Measurement[]> {
  say('memory');
  const rows: Measurement[] = [];
  for (const maxNodes of [500, 5000, 20_000]) {
    const before = process.memoryUsage().rss;
    await caller.get(`/api/v1/nfts/${seeded.landmarks.hub}/descendants?maxDepth=200&maxNodes=${maxNodes}`);
    const grown = Math.max(0, process.memoryUsage().rss - before) / 2 ** 20;
    rows.push({
      what: `resident memory that a request for ${maxNodes} of the hub's ${size.landmarks.hubChildren} adds to the process`,
      value: grown,
      unit: 'MiB',
    });
  }
  const statements = await statementsOf(() => caller.get(`/api/v1/nfts/${seeded.landmarks.hub}/descendants`));
  return [...rows, { what: 'statements of one walk', value: statements.length, unit: '' }];
}

async function lists({ caller, unitOfWork, seeded, say }: Bench): Promise<Measurement[]> {
  say('lists');
  const { id, organisations } = seeded.tenant;
  const wallet = Object.keys(organisations)[0]!;
  interface Page {
    readonly nextCursor: string;
    readonly data: readonly { readonly tlc: string; readonly tokenId: number }[];
  }
  const first = await caller.json<Page>('/api/v1/nfts?limit=100');
  const deep = encodeURIComponent(await cursorAfter(caller, '/api/v1/events?limit=100', 20));
  const tlc = encodeURIComponent(first.data[0]!.tlc);
  const asked: readonly (readonly [string, string])[] = [
    ['lots, first page', '/api/v1/nfts'],
    ['lots, next page by cursor', `/api/v1/nfts?limit=100&cursor=${encodeURIComponent(first.nextCursor)}`],
    ['lots of a custodian', `/api/v1/nfts?custodian=${wallet}`],
    ['lots by the beginning of a code', '/api/v1/nfts?tlc=RP-2026-00'],
    ['lot by code', `/api/v1/nfts/by-tlc/${tlc}`],
    ['lot by token id', `/api/v1/nfts/${seeded.landmarks.hub}`],
    ['events, first page', '/api/v1/events'],
    ['events, page 21 by cursor', `/api/v1/events?limit=100&cursor=${deep}`],
    ['events of a process', '/api/v1/events?processType=wool_spinning'],
    ['events of a lot', `/api/v1/nfts/${seeded.landmarks.ladderTop}/events`],
  ];
  const rows: Measurement[] = [];
  for (const [what, path] of asked) rows.push(...(await readCost(caller, { unitOfWork, tenantId: id, dataDir: DATA }, what, path)));
  return rows;
}

async function cursorAfter(caller: Caller, path: string, pages: number): Promise<string> {
  let cursor = '';
  for (let page = 0; page < pages; page++)
    cursor = (await caller.json<{ nextCursor: string }>(`${path}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)).nextCursor;
  return cursor;
}
