// Draws the Mermaid diagrams of the documentation as pictures for the guide, where nothing may be fetched and no style is inline:
//   npm pack mermaid@11.16.0 && tar xzf mermaid-11.16.0.tgz && node tools/diagrams.mjs package/dist/mermaid.min.js
// Mermaid and its browser are needed for this alone, so they are no dependency. A picture is named by its text: one that is missing is seen.
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const docs = join(fileURLToPath(new URL('..', import.meta.url)), 'docs');
export const PICTURES = join(docs, 'diagrams');
/** @param {string} text of the diagram @returns {string} the name of its picture */
export const pictureOf = (text) => `${hash('sha256', text.trim()).slice(0, 16)}.svg`;

const diagrams = () =>
  readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) => [...readFileSync(join(docs, name), 'utf8').matchAll(/^```mermaid\n([\s\S]*?)^```$/gm)])
    .map(([, text]) => text);

async function draw(mermaid) {
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const page = await browser.newPage();
  await page.addScriptTag({ path: mermaid });
  const all = diagrams();
  mkdirSync(PICTURES, { recursive: true });
  for (const name of readdirSync(PICTURES)) if (!all.some((text) => pictureOf(text) === name)) rmSync(join(PICTURES, name));
  for (const text of all) {
    const file = join(PICTURES, pictureOf(text));
    if (existsSync(file)) continue;
    const svg = await page.evaluate(
      async ([source]) => {
        const settings = { htmlLabels: false, useMaxWidth: false };
        globalThis.mermaid.initialize({
          ...{ startOnLoad: false, theme: 'neutral', fontFamily: 'sans-serif', htmlLabels: false, deterministicIds: true },
          ...{ flowchart: settings, state: settings, sequence: { useMaxWidth: false }, er: { useMaxWidth: false } },
        });
        return (await globalThis.mermaid.render('diagram', source)).svg;
      },
      [text],
    );
    writeFileSync(file, `${svg}\n`);
    process.stdout.write(`${file}\n`);
  }
  await browser.close();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await draw(process.argv[2]);
