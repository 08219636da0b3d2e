// Renders the documentation into pages for `/guide` (tools/build.mjs runs it). Links between pages work as on a forge; what is not part of the
// guide, such as sources, is text without a link.
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PICTURES, pictureOf } from './diagrams.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** Files of the guide outside of `docs`. */
export const OTHERS = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'libs/client/README.md', 'clients/python/README.md'];
const GROUPS = [
  ['Tutorial', 'docs/tutorial/'],
  ['How to', 'docs/how-to/'],
  ['Reference', 'docs/reference/'],
  ['Explanation', 'docs/explanation/'],
  ['Specification', 'docs/spec/'],
  ['Decisions', 'docs/adr/'],
];

const SAFE = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text) => text.replaceAll(/[&<>"]/g, (letter) => SAFE[letter]);
/** As GitHub makes the anchor of a heading. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** `docs/how-to/recall-goods.md` is at `/guide/how-to/recall-goods`, `README.md` at `/guide/about`. */
export function addressOf(path) {
  const place = path === 'README.md' ? 'about' : path.replace(/^docs\//, '').replace(/(^|\/)README\.md$|\.md$/, '');
  return place === '' ? '/guide' : `/guide/${place}`;
}

export const pagesOfGuide = () => [
  ...OTHERS,
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => join('docs', name))
    .filter((path) => path.endsWith('.md')),
];

/** Where a link of a page leads, as an address of this service; null for what is not part of the guide. */
function targetOf(page, link, pages) {
  if (/^([a-z]+:|#)/.test(link)) return link;
  const [path, anchor] = link.split('#');
  const there = normalize(join(dirname(page), path)).replace(/\/$/, '');
  const found = [there, join(there, 'README.md')].find((one) => pages.has(one));
  if (found) return addressOf(found) + (anchor ? `#${anchor}` : '');
  return there.startsWith('docs/') && existsSync(join(root, there)) && statSync(join(root, there)).isFile() ? addressOf(there) : null;
}

const codeBlock = (code, lang) => `<pre tabindex="0"><code${lang ? ` class="${escaped(lang)}"` : ''}>${escaped(code)}</code></pre>\n`;

/** The picture that tools/diagrams.mjs has drawn, with the text for who does not see it; the text alone where there is none. */
function diagram(code, section) {
  const name = pictureOf(code);
  if (!existsSync(join(PICTURES, name))) return codeBlock(code, 'mermaid');
  const address = `/guide/diagrams/${name}`;
  return `<figure class="diagram"><a href="${address}"><img src="${address}" alt="Diagram: ${section}" loading="lazy"></a>
<figcaption><details><summary>The diagram as text</summary>${codeBlock(code, 'diagram-text')}</details></figcaption></figure>\n`;
}

/** @param Marked the parser @returns {{ title: string, html: string }} */
export function rendered(page, text, pages, Marked) {
  const used = new Map();
  let title = page;
  let section = page;
  const renderer = {
    heading({ tokens, depth, text: heading }) {
      const anchor = anchorOf(heading);
      const before = used.get(anchor) ?? 0;
      used.set(anchor, before + 1);
      const content = this.parser.parseInline(tokens);
      section = content.replaceAll(/<[^>]+>/g, '');
      if (depth === 1 && title === page) title = section;
      return `<h${depth} id="${anchor}${before === 0 ? '' : `-${before}`}">${content}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const [target, content] = [targetOf(page, href, pages), this.parser.parseInline(tokens)];
      return target === null ? content : `<a href="${escaped(target)}"${/^https?:/.test(target) ? ' rel="noopener"' : ''}>${content}</a>`;
    },
    code: ({ text: code, lang }) => (lang === 'mermaid' ? diagram(code, section) : codeBlock(code, lang)),
    // A heading of nothing is a plain cell.
    tablecell({ header, align, tokens }) {
      const content = this.parser.parseInline(tokens);
      const tag = header && content.trim() !== '' ? 'th' : 'td';
      return `<${tag}${align ? ` class="${align}"` : ''}${tag === 'th' ? ' scope="col"' : ''}>${content}</${tag}>`;
    },
  };
  const html = new Marked({ gfm: true, renderer })
    .parse(text)
    .replaceAll('<table>', '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
  return { title, html };
}

/** @param {string} out the folder that gets the pages */
export async function buildGuide(out) {
  // Loaded here: tools/build.mjs reads the list of files before anything is installed.
  const { Marked } = await import('marked');
  const paths = pagesOfGuide();
  const pages = new Set(paths);
  const done = new Map(paths.map((path) => [path, rendered(path, readFileSync(join(root, path), 'utf8'), pages, Marked)]));
  const links = navigation(done);
  for (const [path, { title, html }] of done)
    write(out, `${addressOf(path).slice('/guide'.length) || '/index'}.html`, shell(title, html, links, addressOf(path)));
  const search = [...done].map(([path, { title, html }]) => [addressOf(path), title, headingsOf(html)]);
  write(out, '/search.json', JSON.stringify(search));
  for (const name of ['style.css', 'search.js']) copyFileSync(join(root, 'tools/guide', name), join(out, name));
  for (const name of readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }))
    if (!name.endsWith('.md') && statSync(join(root, 'docs', name)).isFile())
      write(out, `/${name}`, readFileSync(join(root, 'docs', name)));
}

const headingsOf = (html) =>
  [...html.matchAll(/<h[23] id="([^"]+)">(.*?)<\/h/g)].map(([, id, text]) => [id, text.replaceAll(/<[^>]+>/g, '')]);

function write(out, name, content) {
  mkdirSync(dirname(join(out, name)), { recursive: true });
  writeFileSync(join(out, name), content);
}

function navigation(done) {
  const item = ([path, { title }]) => `<li><a href="${addressOf(path)}">${title}</a></li>`;
  const group = ([name, folder]) =>
    `<h2>${name}</h2><ul>${[...done]
      .filter(([path]) => path.startsWith(folder))
      .map(item)
      .join('')}</ul>`;
  const more = [...done].filter(([path]) => !GROUPS.some(([, folder]) => path.startsWith(folder)) && path !== 'docs/README.md');
  return `${GROUPS.slice(0, 4).map(group).join('')}${GROUPS.slice(4).map(group).join('')}<h2>Project</h2><ul>${more.map(item).join('')}</ul>`;
}

const shell = (title, html, links, address) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${title} · Guide</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/guide/style.css"><script src="/guide/search.js" defer></script></head>
<body><a class="skip" href="#main">Skip to content</a>
<header><a class="brand" href="/guide">Guide</a><form id="search" role="search"><input type="search" aria-label="Search the guide" placeholder="Search" autocomplete="off"></form>
<nav aria-label="Service"><a class="more" href="#pages">Pages</a><a href="/docs">API</a><a href="/portal">Portal</a></nav></header>
<div id="found" role="status"></div>
<div class="page"><main id="main" tabindex="-1">${html}</main>
<nav id="pages" aria-label="Pages">${links.replace(`href="${address}"`, `href="${address}" aria-current="page"`)}</nav></div></body>
</html>
`;

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildGuide(process.argv[2]);
