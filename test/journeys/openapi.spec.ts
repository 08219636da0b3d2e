import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiDocument, errorsPage, routesPage } from '../../apps/cli/src/reference/document-pages.js';
import { World } from '../harness/world.js';

interface Document {
  readonly openapi?: string;
  readonly swagger?: string;
  readonly host?: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Operation {
  readonly security?: readonly object[];
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Readonly<Record<string, { examples?: object; schema?: object }>> }>
  >;
}

describe('the description of the interface', () => {
  let world: World;
  const read = async (path: string): Promise<Document> => (await (await fetch(world.baseUrl + path)).json()) as Document;
  const operations = ({ paths }: Document): [string, Operation][] =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method.toUpperCase()} ${path}`, operation]),
    );

  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world?.close());

  it('is valid OpenAPI 3.1', async () => {
    const document = await read('/openapi.json');
    expect(document.openapi).toBe('3.1.0');
    expect(await faultsOf(document)).toBe('');
  });

  it('has a verb as the name of each operation, once, and names of tags in one case', async () => {
    const all = operations(await read('/openapi.json')).map(
      ([, operation]) => operation as Operation & { operationId: string; tags: string[] },
    );
    const names = all.map(({ operationId }) => operationId);
    expect(names.filter((name) => !/^[a-z]+([A-Z0-9][a-zA-Z0-9]*)?$/.test(name) || /controller|report_/i.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(['login', 'listEvents', 'prepareEvent', 'getNftDescendants', 'getInventoryReport']));
    expect(all.flatMap(({ tags }) => tags).filter((tag) => !/^[A-Z]/.test(tag))).toEqual([]);
  });

  it('describes what webhooks get, a topic each', async () => {
    interface Described extends Document {
      readonly webhooks: Readonly<Record<string, { readonly post: object }>>;
      readonly components: {
        readonly schemas: { readonly TopicView: { readonly properties: { readonly topic: { readonly enum: string[] } } } };
      };
    }
    const { webhooks, components } = (await read('/openapi.json')) as Described;
    expect(Object.keys(webhooks)).toEqual(components.schemas.TopicView.properties.topic.enum);
    expect(webhooks['nft.created']!.post).toMatchObject({
      operationId: 'onNftCreated',
      requestBody: { content: { 'application/json': { schema: { properties: { event: { const: 'nft.created' } } } } } },
    });
    expect(await read('/openapi/v2.json')).not.toHaveProperty('webhooks');
  });

  it('is valid Swagger 2.0 with the same operations, at the address that was asked', async () => {
    const [three, two] = await Promise.all([read('/openapi.json'), read('/openapi/v2.json')]);
    expect(two).toMatchObject({ swagger: '2.0', host: new URL(world.baseUrl).host, schemes: ['http'] });
    expect(await faultsOf(two)).toBe('');
    expect(operations(two).map(([name]) => name)).toEqual(operations(three).map(([name]) => name));
    for (const [name, { security, responses }] of operations(three)) {
      const { [name]: same } = Object.fromEntries(operations(two));
      expect([name, same!.security, Object.keys(same!.responses)]).toEqual([name, security, Object.keys(responses)]);
    }
  });

  it('names the host that was asked, for a tenant may have its own', async () => {
    const asked = async (url: string): Promise<object> =>
      (await world.service.app.inject({ method: 'GET', url, headers: { host: 'rice.trace.example' } })).json();
    expect(await asked('/openapi.json')).toMatchObject({ servers: [{ url: 'http://rice.trace.example' }] });
    expect(await asked('/openapi/v2.json')).toMatchObject({ host: 'rice.trace.example' });
  });

  it('has an example for every code that a route refuses with', async () => {
    const bare = operations(await read('/openapi.json')).flatMap(([name, { responses }]) =>
      Object.entries(responses)
        .filter(([status]) => Number(status) >= 400)
        // The health report itself says what is down.
        .filter(([status]) => `${name} ${status}` !== 'GET /health/ready 503')
        // A page for people, and never anything else.
        .filter(([, { content }]) => Object.keys(content ?? {}).join() !== 'text/html')
        .filter(([, { content }]) => Object.keys(content?.['application/problem+json']?.examples ?? {}).length === 0)
        .map(([status]) => `${name} ${status}`),
    );
    expect(bare).toEqual([]);
  });

  it('has examples of the path of their own operation', async () => {
    const others = operations(await read('/openapi.json')).flatMap(([name, { responses }]) =>
      Object.entries(responses).flatMap(([status, { content }]) =>
        Object.values((content?.['application/problem+json']?.examples ?? {}) as Readonly<Record<string, { value: { instance: string } }>>)
          .filter(({ value }) => value.instance !== name.slice(name.indexOf(' ') + 1))
          .map(({ value }) => `${name} ${status}: ${value.instance}`),
      ),
    );
    expect(others).toEqual([]);
  });

  it.each([
    ['routes', routesPage],
    ['errors', errorsPage],
  ])('is the source of docs/reference/%s.md; `npm run cli -- reference --base-url <url>` writes the page', async (name, made) => {
    expect(readFileSync(`docs/reference/${name}.md`, 'utf8')).toBe(made((await read('/openapi.json')) as unknown as ApiDocument));
  });

  it('documents the refusals of prepared calls where a call is prepared or captured, and nowhere else', async () => {
    const documenting = async (code: string): Promise<string[]> =>
      operations(await read('/openapi.json')).flatMap(([name, { responses }]) =>
        Object.values(responses).some(({ content }) => code in (content?.['application/problem+json']?.examples ?? {})) ? [name] : [],
      );
    const others = (names: readonly string[]): string[] =>
      names
        .filter((name) => !/\/prepare(\/batch)?$|\/capture$|^POST \/epcis\/\{tenant\}\/events$|^(POST|PATCH) \/v1\/dpps/.test(name))
        .toSorted();
    expect(others(await documenting('foreign_sender'))).toEqual(['POST /api/v1/events/validate']);
    expect(others(await documenting('tenant_has_no_contract'))).toEqual([]);
    expect(others(await documenting('chain_unavailable'))).toEqual([
      'GET /api/v1/reports/data-reference',
      'GET /api/v1/tx/relay',
      'GET /api/v1/tx/status/{txHash}',
      'GET /p/{passportId}/bundle',
      'POST /api/v1/tx/relay',
      'POST /api/v2/auth/siwe',
      'POST /api/v2/auth/wallet',
      'POST /api/v2/tenants',
    ]);
  });

  it('says what each route answers', async () => {
    const all = operations(await read('/openapi.json'));
    const silent = all.filter(([, { responses }]) => !Object.keys(responses).some((status) => /^[23]/.test(status)));
    expect(silent.map(([name]) => name)).toEqual([]);
  });

  it('says what each answer looks like', async () => {
    const shapeless = operations(await read('/openapi.json')).flatMap(([name, { responses }]) =>
      Object.entries(responses)
        .filter(([status]) => status === '200' || status === '201')
        .filter(([, { content = {} }]) => {
          const media = Object.values(content);
          return media.length === 0 || media.some(({ schema }) => Object.keys(schema ?? {}).length === 0);
        })
        .map(([status]) => `${name} ${status}`),
    );
    expect(shapeless).toEqual([]);
  });
});

/** What the validator of the OpenAPI initiative's schemas says against a document; empty where it is valid. */
function faultsOf(document: Document): Promise<string> {
  const program = fileURLToPath(new URL('../harness/validate-openapi.js', import.meta.url));
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, ['--no-warnings', program], (error, stdout) => (error ? reject(error) : resolve(stdout)));
    child.stdin!.end(JSON.stringify(document));
  });
}
