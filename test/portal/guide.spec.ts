import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findChromium, openBrowser, openPage } from '../harness/browser.js';
import { accessibilityFaults } from '../harness/portal-visit.js';
import { World } from '../harness/world.js';

const chromium = findChromium();
const inBrowser = chromium === null ? it.skip : it;

describe('the guide and the description of the API', () => {
  let world: World;
  const pages = new Map<string, string>();
  beforeAll(async () => {
    world = await World.start();
    const waiting = ['/guide'];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const response = await fetch(world.baseUrl + path);
      pages.set(path, response.ok ? await response.text() : '');
      const found = [...pages.get(path)!.matchAll(/href="(\/guide[^"#]*)/g)].map(([, link]) => link!);
      waiting.push(...found.filter((link) => !pages.has(link) && !waiting.includes(link)));
    }
  });
  afterAll(() => world?.close());

  it('has every page of the documentation, and each link leads to a page and a heading', () => {
    expect(pages.size).toBeGreaterThan(90);
    for (const path of [
      '/guide/tutorial/recall-a-lot',
      '/guide/how-to/receivers/receiver.py',
      '/guide/adr',
      '/guide/clients/python',
      '/guide/CHANGELOG',
    ])
      expect([path, pages.get(path)?.length ?? 0]).toEqual([path, expect.any(Number)]);
    const broken = [...pages].flatMap(([path, text]) =>
      [...text.matchAll(/href="([^"]*)"/g)].flatMap(([, link]) => {
        const [address, anchor] = link!.split('#') as [string, string?];
        const target = address === '' ? text : pages.get(address);
        if (!/^(\/guide|#|$)/.test(link!) || address.endsWith('.css')) return [];
        return target && (anchor === undefined || target.includes(`id="${anchor}"`)) ? [] : [`${path}: ${link}`];
      }),
    );
    expect(broken).toEqual([]);
    expect([...pages].filter(([, text]) => /<a href="(?!https?:)[^"]*\.md/.test(text)).map(([path]) => path)).toEqual([]);
  });

  it('shows each diagram as a picture, with its text; one that was changed is drawn again (tools/diagrams.mjs)', async () => {
    const pictures = [...pages.values()].flatMap((text) =>
      [...text.matchAll(/<img src="([^"]+)" alt="Diagram: [^"]+"/g)].map(([, at]) => at!),
    );
    expect(pictures.length).toBeGreaterThan(10);
    for (const at of pictures) {
      const picture = await fetch(world.baseUrl + at);
      expect([at, picture.status, picture.headers.get('content-type')]).toEqual([at, 200, expect.stringMatching(/^image\/svg\+xml/)]);
      expect(await picture.text()).not.toMatch(/<script|(?:href|src)="(?!#)|url\((?!#)|@import/);
    }
    expect([...pages].filter(([, text]) => text.includes('class="mermaid"')).map(([path]) => path)).toEqual([]);
  });

  it('asks no other host, runs nothing of a page, and says where it begins', async () => {
    const { headers } = await fetch(`${world.baseUrl}/guide/glossary`);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
    for (const text of pages.values()) expect(text).not.toMatch(/<(?:script|link|img)[^>]+(?:src|href)="(?!\/guide|data:)/);
    const missing = await fetch(`${world.baseUrl}/guide/nowhere`);
    expect([missing.status, await missing.text()]).toEqual([404, 'No such page. The guide begins at /guide.\n']);
  });

  describe('in a browser', () => {
    let browser: Browser;
    let context: BrowserContext;
    let page: Page;
    let complaints: string[];
    beforeAll(async () => {
      if (chromium === null) return;
      browser = await openBrowser(chromium);
      context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
      ({ page, complaints } = await openPage(context));
    });
    afterAll(() => browser?.close());

    inBrowser.each([
      '/guide',
      '/guide/how-to/receive-webhooks',
      '/guide/reference/configuration',
      '/guide/explanation/architecture',
      '/guide/spec/api',
      '/docs',
      '/docs/custody',
      '/docs/events',
      '/docs/authentication',
    ])('%s is accessible in both themes and at both widths', async (path) => {
      await page.goto(world.baseUrl + path);
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    inBrowser('is searched by keyboard, and follows links', async () => {
      await page.goto(`${world.baseUrl}/guide`);
      await page.getByRole('searchbox').focus();
      await page.keyboard.type('new secret');
      await page.getByRole('link', { name: 'Receive webhooks: A new secret' }).press('Enter');
      await page.getByRole('heading', { name: 'A new secret' }).waitFor();
      await page.getByRole('link', { name: 'Follow changes from an ERP' }).first().click();
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(page.url()).toBe(`${world.baseUrl}/guide/how-to/follow-changes`);
      expect(complaints).toEqual([]);
    });
  });
});
