import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type PdfKit from 'pdfkit';
import type { RecallView } from '../recalls/recalls.dto.js';
import type { AcknowledgementsView } from './acknowledgements.dto.js';

/** What the report of a recall is made from. */
export interface RecallReport {
  readonly recall: RecallView;
  /** Of all lots. */
  readonly answers: AcknowledgementsView;
  readonly tenant: string;
  readonly recalledByLabel: string;
  readonly madeAt: Date;
}

type Pdf = InstanceType<typeof PdfKit>;
type Row = readonly string[];

const load = createRequire(import.meta.url);
let fonts: { readonly plain: Buffer; readonly bold: Buffer } | null = null;
/** Read when the first report is made; of a font only the letters that are used go into the file. */
const fontsOnce = (): NonNullable<typeof fonts> =>
  (fonts ??= {
    plain: readFileSync(load.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf')),
    bold: readFileSync(load.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf')),
  });

const MARGIN = 50;
const WIDTH = 595.28 - 2 * MARGIN;
/** Lots beyond these are counted only: a report is read by people. */
const LISTED = 2_000;

/** The report for the auditor: A4, in the order in which it is asked about. Times are in UTC. */
export function recallReportPdf(report: RecallReport): Promise<Buffer> {
  const { recall, answers, madeAt } = report;
  const { plain, bold } = fontsOnce();
  const info = { Title: `Recall ${recall.id}`, CreationDate: madeAt, ModDate: madeAt };
  const pdf = new (load('pdfkit') as typeof PdfKit)({ size: 'A4', margin: MARGIN, bufferPages: true, info });
  const done = new Promise<Buffer>((resolve, reject) => {
    const parts: Buffer[] = [];
    pdf.on('data', (part: Buffer) => parts.push(part));
    pdf.on('end', () => resolve(Buffer.concat(parts)));
    pdf.on('error', reject);
  });
  pdf.registerFont('plain', plain).registerFont('bold', bold);
  pdf.font('bold').fontSize(18).text('Recall report');
  pdf
    .font('plain')
    .fontSize(10)
    .text(`${report.tenant}. Made ${time(madeAt.toISOString())}.`)
    .moveDown();
  facts(pdf, report);
  chapter(pdf, 'Answers of holders', answersIn(answers) + firstOf(answers.holders.length));
  table(pdf, ['Holder', 'Lots', 'Answered', 'State'], [0.5, 0.15, 0.15, 0.2], answers.holders.slice(0, LISTED).map(holderRow));
  chapter(pdf, 'Lots', firstOf(answers.data.length).trim());
  table(pdf, ['Lot', 'Token', 'Holder', 'Answer', 'When'], [0.28, 0.1, 0.24, 0.18, 0.2], lotRows(answers));
  chapter(pdf, 'Timeline', firstOf(recall.lots.length).trim());
  table(pdf, ['When (UTC)', 'What'], [0.25, 0.75], timeline(report));
  pages(pdf);
  pdf.end();
  return done;
}

const time = (iso: string | null): string => (iso === null ? '–' : `${iso.slice(0, 16).replace('T', ' ')} UTC`);
/** Laying out a word takes the square of its length: longer ones may break at a space without width. */
const breakable = (text: string): string => text.replaceAll(/\S{60}/gu, '$&\u200b');
/** Where not all of them are listed. */
const firstOf = (all: number): string => (all > LISTED ? ` The first ${LISTED} of ${all}.` : '');
const words = (code: string | null): string => code?.replaceAll('_', ' ') ?? '–';

function facts(pdf: Pdf, { recall, recalledByLabel }: RecallReport): void {
  const rows: readonly (readonly [string, string])[] = [
    ['Reason', recall.reason ?? 'not known yet'],
    ['Class', words(recall.recallClass)],
    ['Number', recall.reference ?? '–'],
    ['Taken back down to', words(recall.depth)],
    ['Instructions', recall.instructions ?? '–'],
    [
      'Affected lots',
      `${recall.open ? `${recall.affectedCount} now; ` : ''}${recall.affectedWhenPrepared ?? 'not known'} when it was prepared (${words(recall.propagation)})`,
    ],
    ['State', recall.open ? 'open' : 'lifted'],
    ['Recalled', `${time(recall.recalledAt)} by ${recalledByLabel}`],
    ['Signed by', recall.recalledBy],
    ['Transaction', `${recall.txHash}, block ${recall.blockNumber}`],
    ['Id', recall.id],
  ];
  for (const [name, value] of rows) {
    pdf.font('bold').fontSize(9.5).text(`${name}: `, { continued: true });
    // A line break would begin a fact of its own.
    pdf.font('plain').text(breakable(name === 'Instructions' ? value : value.replaceAll(/\s+/g, ' ')));
  }
}

function chapter(pdf: Pdf, title: string, about: string): void {
  pdf.moveDown().font('bold').fontSize(13).text(title, MARGIN);
  if (about !== '') pdf.font('plain').fontSize(9.5).text(about);
  pdf.moveDown(0.3);
}

function answersIn({ states, lots, truncated }: AcknowledgementsView): string {
  const counted = Object.entries(states as Readonly<Record<string, number>>).map(([state, n]) => `${words(state)} ${n}`);
  return `${lots} lots are to be answered for: ${counted.join(', ')}.${truncated ? ' The recall reaches more lots than were walked.' : ''}`;
}

const holderRow = ({ label, lots, acknowledged, short }: AcknowledgementsView['holders'][number]): Row => [
  label,
  String(lots),
  String(acknowledged),
  acknowledged < lots ? 'waiting' : short > 0 ? 'answered, part missing' : 'confirmed',
];

function lotRows({ data, holders }: AcknowledgementsView): readonly Row[] {
  const labels = new Map(holders.map(({ address, label }) => [address, label]));
  return data.slice(0, LISTED).map(({ tlc, tokenId, custodian, state, quantity, held, acknowledgedAt }) => {
    const some = quantity as { readonly value: string; readonly uom: string } | null;
    const all = held as { readonly value: string; readonly uom: string } | null;
    const how = some === null ? '' : ` ${some.value} ${some.uom}${all === null ? '' : ` of ${all.value} ${all.uom}`}`;
    return [
      tlc,
      String(tokenId),
      labels.get(custodian) ?? custodian,
      state === null ? 'none yet' : words(state) + how,
      time(acknowledgedAt),
    ];
  });
}

function timeline({ recall, answers: { data, holders } }: RecallReport): readonly Row[] {
  const labels = new Map(holders.map(({ address, label }) => [address, label]));
  const moments: (readonly [string, string])[] = [[recall.recalledAt, `Recalled: ${recall.lots.length} lots`]];
  for (const { acknowledgedAt, custodian, tlc, state } of data.slice(0, LISTED))
    if (acknowledgedAt !== null) moments.push([acknowledgedAt, `${labels.get(custodian) ?? custodian}: lot ${tlc} ${words(state)}`]);
  for (const { tokenId, tlc, liftedAt, liftedBy, liftReason } of recall.lots.slice(0, LISTED))
    if (liftedAt !== null)
      moments.push([
        liftedAt,
        `Lifted for lot ${tlc ?? tokenId} by ${liftedBy ?? 'an unknown wallet'}${liftReason ? `: ${liftReason}` : ''}`,
      ]);
  if (recall.holdsReleasedAt !== null) moments.push([recall.holdsReleasedAt, 'Holds released']);
  return moments.toSorted(([a], [b]) => a.localeCompare(b)).map(([at, what]) => [time(at), what]);
}

/** Rows break where their words need it, and go on on the next page. @param shares of the width, by column */
function table(pdf: Pdf, heads: Row, shares: readonly number[], rows: readonly Row[]): void {
  const draw = (given: Row, font: string): void => {
    const row = given.map(breakable);
    pdf.font(font).fontSize(8.5);
    const heights = row.map((text, i) => pdf.heightOfString(text, { width: shares[i]! * WIDTH - 6 }));
    const height = Math.max(...heights) + 3;
    if (pdf.y + height > pdf.page.height - MARGIN) pdf.addPage();
    const top = pdf.y;
    let left = MARGIN;
    for (const [i, text] of row.entries()) {
      pdf.text(text, left, top, { width: shares[i]! * WIDTH - 6 });
      left += shares[i]! * WIDTH;
    }
    pdf.x = MARGIN;
    pdf.y = top + height;
  };
  draw(heads, 'bold');
  for (const row of rows) draw(row, 'plain');
  if (rows.length === 0) draw(['–', ...heads.slice(1).map(() => '')], 'plain');
}

function pages(pdf: Pdf): void {
  const { count } = pdf.bufferedPageRange();
  for (let i = 0; i < count; i++) {
    pdf.switchToPage(i);
    // Below the margin text would begin another page.
    pdf.page.margins.bottom = 0;
    pdf
      .font('plain')
      .fontSize(8)
      .text(`Page ${i + 1} of ${count}`, MARGIN, pdf.page.height - 30, { width: WIDTH, align: 'right', lineBreak: false });
  }
}
