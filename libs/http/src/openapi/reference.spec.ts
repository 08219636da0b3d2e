import { describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { groupPage, introductionPage, slugOf } from './reference-html.js';
import { Reference } from './reference.js';
import { samplesOf } from './samples.js';

const crate = {
  type: 'object',
  required: ['code', 'parts', 'sealed'],
  properties: {
    code: { type: 'string', description: 'Its <code>', example: "C'1" },
    parts: { type: 'array', items: { $ref: '#/components/schemas/Crate' } },
    sealed: { type: ['boolean', 'null'], example: true },
    colour: { type: 'string', enum: ['red', 'blue'] },
  },
};
const document = {
  openapi: '3.1.0',
  info: { title: 'Crates', version: '1' },
  components: { schemas: { Crate: crate } },
  paths: {
    '/crates/{tokenId}': {
      put: {
        operationId: 'putCrate',
        summary: 'Put a crate somewhere',
        tags: ['Digital product passports'],
        security: [{ bearer: [] }],
        parameters: [{ name: 'tokenId', in: 'path', required: true, schema: { type: 'integer' } }],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Crate' } } } },
        responses: {
          '200': { description: '', content: { 'application/json': { schema: { $ref: '#/components/schemas/Crate' } } } },
          '404': { description: '`crate_lost`' },
        },
      },
    },
    '/health/live': { get: { operationId: 'isAlive', responses: { '200': { description: 'It lives' } } } },
  },
} as unknown as OpenAPIObject;

describe('the pages of the API', () => {
  const reference = new Reference(document);
  const [put, alive] = reference.operations as [(typeof reference.operations)[0], (typeof reference.operations)[0]];
  const sample = (operation: typeof put, language: string): string =>
    samplesOf(reference, operation).find((one) => one.language === language)!.code;

  it('list every operation under its group', () => {
    const page = introductionPage(reference);
    expect(page).toContain('href="/docs/digital-product-passports#putCrate"');
    expect(page).toContain('href="/docs/other#isAlive"');
    expect(slugOf('API keys')).toBe('api-keys');
    expect(page).not.toMatch(/(?:src|href)="(?!\/|#|data:)/);
  });

  it('show parameters, body, answers and samples, with nothing of the document as markup', () => {
    const page = groupPage(reference, 'Digital product passports');
    for (const part of [
      'Put a crate somewhere',
      'integer, path',
      'array of Crate',
      'boolean | null',
      'Its &lt;code&gt;',
      'crate_lost',
      'One of &quot;red&quot;',
    ])
      expect(page).toContain(part);
    expect(page.match(/<summary>(curl|TypeScript|Python|Go)/g)).toHaveLength(4);
  });

  it('make an example of a schema, also of one that contains itself', () => {
    const example = reference.exampleOf({ $ref: '#/components/schemas/Crate' }) as { readonly parts: readonly object[] };
    expect(example).toMatchObject({ code: "C'1", sealed: true });
    expect(JSON.stringify(example).length).toBeLessThan(1000);
  });

  it('quote what a shell, Python and Go would read otherwise', () => {
    expect(sample(put, 'curl')).toContain(`"code": "C'\\''1"`);
    expect(sample(put, 'curl')).toMatch(/^curl -X PUT 'http:\/\/localhost:3000\/crates\/7' \\\n {2}-H "Authorization: Bearer \$TOKEN"/);
    expect(sample(put, 'Python')).toContain('client.api.put_crate(7, {');
    expect(sample(put, 'Python')).toContain('"sealed": True');
    expect(sample(put, 'TypeScript')).toContain("client.call('PUT /crates/{tokenId}', {\n  path: { tokenId: 7 },\n  body: {");
    expect(sample(put, 'Go')).toContain('request.Header.Set("X-API-Key", os.Getenv("API_KEY"))');
    expect(sample(alive, 'Go')).toContain('http.NewRequest("GET", "http://localhost:3000/health/live", nil)');
    expect(sample(alive, 'Go')).not.toContain('"os"');
  });
});
