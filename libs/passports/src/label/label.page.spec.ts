import { createRequire } from 'node:module';
import { inflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type PdfKit from 'pdfkit';
import { LotKey, escaped } from '#kernel';
import type { PublicPassport } from '../composing/passport.js';
import { buildPassport } from '../composing/passport.rules.js';
import { passportPage } from '../public/passport.page.js';
import { DEFAULT_SETTING } from '../settings/passport-setting.js';
import { RICE, issued, lotNamed } from '../testing/rice.js';
import { labelPdf } from './label-pdf.page.js';
import { LABELS, labelOf, labelSvg, readableLines } from './label.page.js';
import { type Element, elementsOf, gs1Symbol } from '../pages/symbols.page.js';

const [made] = RICE.events;

/** Every text that a tenant writes is this one. */
function saying(text: string, tlc = 'RP262641'): PublicPassport {
  const words = { '/productDescription': text, '/care': { [text]: [text] }, '/image': text, '/location/region': text };
  return buildPassport({
    issued: issued({ tlc }),
    setting: DEFAULT_SETTING,
    facts: {
      ...RICE,
      lot: { ...RICE.lot, ...lotNamed(tlc), name: text, category: text, expiresOn: '2028-03-21' },
      recalls: [{ recallClass: text, reason: text, instructions: text, date: '2026-11-28' }],
      operator: {
        id: '0f1e2d3c-4b5a-4697-8869-7a6b5c4d3e2f',
        name: text,
        lei: text,
        gln: text,
        publicProfile: { website: text, email: text },
      },
      events: [
        { ...made!, id: 'another', label: text, values: words, documents: [{ type: text, issuer: text, validTo: text }] },
        { ...made!, label: text, values: { ...made!.values, ...words } },
      ],
    },
    footprint: null,
    claimShare: 0.6,
    origin: 'https://id.example',
    today: '2026-11-28',
  });
}

const ATTACKS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'https://a"onmouseover="alert(1)',
  ']]></style></title><svg onload=alert(1)>',
  '&#60;script&#62;',
];

describe('a page and a label', () => {
  it.each(ATTACKS)('show %s as the text that it is', (text) => {
    const passport = saying(text);
    const page = passportPage(passport);
    const svg = labelSvg(labelOf(passport));
    const tags = [...page.matchAll(/<\/?([a-z0-9]+)/gi), ...svg.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, name]) => name!);
    const strange = tags.filter(
      (name) =>
        !/^(html|head|meta|title|style|body|main|header|section|footer|h1|h2|p|b|br|bdi|span|dl|dt|dd|ol|ul|li|table|thead|tbody|tr|th|td|code|a|div|svg|rect|circle|path|g|text|tspan)$/.test(
          name,
        ),
    );
    expect(strange).toEqual([]);
    expect((page + svg).replaceAll(/"[^"]*"/g, '""').match(/<[^<>]*\son\w+\s*=/gi)).toBeNull();
    const links = [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, href]) => href!);
    expect(links.filter((href) => !/^(https:\/\/|\/verify$)/.test(href))).toEqual([]);
  });

  it('hold no character that would make an SVG none, and nothing that turns the letters around it', async () => {
    const passport = saying('bell\u0007 null\u0000 escape\u001b \ufffe \u202egnp.exe\u2066');
    const svg = labelSvg(labelOf(passport));
    // oxlint-disable-next-line no-control-regex -- the pattern searches for them
    expect(svg + passportPage(passport)).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/);
    expect(svg).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    expect((await labelPdf(labelOf(passport), new Date(0))).subarray(0, 5).toString()).toBe('%PDF-');
  });
});

describe('a label', () => {
  it.each([
    ['a short code', 'RP262641', 'Rice'],
    ['a code of 20 wide letters', 'W'.repeat(20), 'Rice that has a name of many words, more than there is room for on three lines'],
    ['the longest code', 'RP-2026/'.repeat(8), 'A'.repeat(200)],
    ['a name without spaces in wide letters', 'RP262641', '精米五公斤袋装香米'.repeat(8)],
    ['a name of many marks', 'RP262641', 'ข้าวหอมมะลิคุณภาพดีพิเศษจากแหล่งผลิต'.repeat(3)],
    ['pictures', 'RP262641', '👩‍🌾🌾'.repeat(30)],
  ])('keeps %s inside', (_, tlc, name) => {
    const svg = labelSvg(labelOf(saying(name, tlc)));
    const rows = [...svg.matchAll(/<text x="(\d+)"(?: direction="rtl")? y="([\d.]+)"/g)].map(([, x, y]) => [Number(x), Number(y)]);
    expect(rows.length).toBeGreaterThan(3);
    expect(rows.filter(([x, y]) => x! < 40 || y! < 4 || y! > LABELS.qr.height - LABELS.qr.margin)).toEqual([]);
    expect(svg).not.toContain('\ufffd');
  });

  it.each([
    ['letters', 'ab '.repeat(80_000), 'ab '.repeat(67).slice(0, 200)],
    ['letters of several code points', '👩‍🌾'.repeat(20_000), '👩‍🌾'.repeat(200)],
    ['marks on a letter', `e${'\u0301'.repeat(200_000)}`, `e${'\u0301'.repeat(15)}`],
  ])('has the first 200 letters of a title of many %s', async (_, name, expected) => {
    const label = labelOf(saying(name));
    expect([label.title, label.name]).toEqual([expected, expected]);
    expect(labelSvg(label).length).toBeLessThan(100_000);
    expect((await labelPdf(label, new Date(0))).subarray(0, 5).toString()).toBe('%PDF-');
  });

  it('is written from the right where its name is', () => {
    expect(labelSvg(labelOf(saying('أرز ياسمين فاخر')))).toContain('<text x="78" direction="rtl"');
    expect(labelSvg(labelOf(saying('Jasmine أرز')))).not.toContain('direction');
  });
});

describe('a label with a code of GS1', () => {
  const LOTS = ['A1', 'W'.repeat(20), 'A(1)-20letters+long', '<&">%'];
  const elementsFor = (lot: string): readonly Element[] => elementsOf(LotKey.of({ tlc: lot, gtin: '09520123450014' }).text)!;
  const CASES_OF = ['qr', 'gs1-datamatrix', 'gs1-128'] as const;
  const CASES = (['gs1-datamatrix', 'gs1-128'] as const).flatMap((kind) => LOTS.map((lot) => [kind, lot] as const));

  it.each(CASES)('%s of the lot %s stays inside, with its text below it, in SVG and PDF', async (kind, lot) => {
    const label = labelOf(saying('Rice'), await gs1Symbol(kind, elementsFor(lot)));
    const svg = labelSvg(label);
    const { width, height } = LABELS[kind];
    expect(svg).toContain(`width="${width}mm" height="${height}mm"`);
    for (const text of ['(01)09520123450014', `(10)${escaped(lot)}`]) expect(svg).toContain(text);
    const bars = [...svg.matchAll(/M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)/g)].map((bar) => bar.slice(1).map(Number));
    expect(bars.length).toBeGreaterThan(30);
    expect(bars.filter(([x, y, w, h]) => x! < 2 || y! < 2 || x! + w! > width - 2 || y! + h! > height - 4)).toEqual([]);
    expect(Math.min(...bars.map(([, , w]) => w!))).toBeGreaterThan(0.249);
    for (const { x, baseline, size, text } of readableLines(label)) {
      expect(baseline - size).toBeGreaterThanOrEqual(Math.max(...bars.map(([, y, , h]) => y! + h!)));
      expect([x >= 2, baseline < height - 1, text.length > 0, size > 1.5]).toEqual([true, true, true, true]);
    }
    const one = await labelPdf(label, new Date(0));
    expect(pageSizes(one)).toEqual([[width, height]]);
    expect(rectanglesOf(one)).toBe(bars.length);
  });

  it.each(LOTS.flatMap((lot) => CASES_OF.map((kind) => [kind, lot] as const)))(
    '%s of the lot %s has room for its text in a wide font',
    async (kind, lot) => {
      const symbol = kind === 'qr' ? null : await gs1Symbol(kind, elementsFor(lot));
      const label = labelOf(saying('Rice of a long name with many words', lot), symbol);
      const { width, margin, left, code } = LABELS[kind];
      const room = kind === 'gs1-128' ? width - 2 * margin : code.width;
      for (const { text, size } of readableLines(label))
        expect([text, drawnWidth(text, size, 'plain') <= room + 0.01]).toEqual([text, true]);
      for (const [, size, bold, inside] of labelSvg(label).matchAll(/font-size="([\d.]+)"( font-weight="bold")?>([^]*?)<\/text>/g)) {
        if (readableLines(label).some(({ text }) => escaped(text) === inside)) continue;
        const [, name = '', value = ''] = /^([^<]*)(?:<tspan[^>]*>([^<]*)<\/tspan>)?$/.exec(inside!)!;
        const used = drawnWidth(plain(name), Number(size), bold ? 'bold' : 'plain') + drawnWidth(plain(value), Number(size), 'bold');
        expect([inside, used <= width - left - margin + 0.01]).toEqual([inside, true]);
      }
    },
  );

  it.each([
    ['qr', 14],
    ['gs1-datamatrix', 14],
    ['gs1-128', 8],
  ] as const)('fills an A4 sheet with %s labels: %i of them on one page', async (kind, labels) => {
    const symbol = kind === 'qr' ? null : await gs1Symbol(kind, elementsFor('A1'));
    const label = labelOf(saying('Rice'), symbol);
    const [one, sheet] = await Promise.all([labelPdf(label, new Date(0)), labelPdf(label, new Date(0), true)]);
    expect(pageSizes(sheet)).toEqual([[210, 297]]);
    // Each with the lines to cut along.
    expect(rectanglesOf(sheet)).toBe(labels * (rectanglesOf(one) + 1));
  });
});

/** What an XML reader makes of a text. */
const plain = (text: string): string =>
  text.replaceAll(/&(lt|gt|quot|amp|#39|apos);/g, (_, name: string) => ({ lt: '<', gt: '>', quot: '"', amp: '&' })[name] ?? "'");

const load = createRequire(import.meta.url);
const drawing = new (load('pdfkit') as typeof PdfKit)();

/** Width of a text in DejaVu Sans, the widest font that programs fall back to; in millimetres, without kerning. */
function drawnWidth(text: string, size: number, weight: 'plain' | 'bold'): number {
  const file = weight === 'bold' ? 'DejaVuSansCondensed-Bold.ttf' : 'DejaVuSansCondensed.ttf';
  const condensed = drawing
    .font(load.resolve(`dejavu-fonts-ttf/ttf/${file}`))
    .fontSize(size)
    .widthOfString(text, { features: [] });
  // Its letters are 90 % as wide.
  return condensed / 0.9;
}

/** Pages of a PDF, in millimetres. */
const pageSizes = (pdf: Buffer): number[][] =>
  [...pdf.toString('latin1').matchAll(/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)].map((page) =>
    page.slice(1).map((side) => Math.round(Number(side) / (72 / 25.4))),
  );

/** How many rectangles its pages draw. */
function rectanglesOf(pdf: Buffer): number {
  const streams = [...pdf.toString('latin1').matchAll(/\/FlateDecode\s*>>\s*stream\n([^]*?)\nendstream/g)].map(([, bytes]) => bytes!);
  const contents = streams.map((bytes) => inflateSync(Buffer.from(bytes, 'latin1')).toString('latin1'));
  return contents.reduce((sum, content) => sum + (content.match(/^-?[\d.]+ -?[\d.]+ -?[\d.]+ -?[\d.]+ re$/gm) ?? []).length, 0);
}
