import { Html, STYLE, html, theirs } from '#kernel';
import type { OriginStep, PublicFootprint, PublicPassport, PublicRecall } from '../composing/passport.js';
import { qrSvg } from '../pages/qr.page.js';
import type { PassportChoices } from './passport-choices.js';

/** A whole page without a script. The JSON has the same content. @param verifier address of the page that checks evidence */
export function passportPage(passport: PublicPassport, verifier = '/verify'): string {
  const { product, passportStatus } = passport;
  return document(
    `${product.name} · ${product.serial ?? product.lot}`,
    html`${recallBanner(passport.recalls)}${retiredNote(passport)}
<header class="wide"><span class="state ${passportStatus}">${wordsOf(passportStatus)}</span><h1 dir="auto">${product.description ?? product.name}</h1>${product.description === null ? null : html`<p dir="auto">${product.name}</p>`}<p class="soft">${product.lot === null ? null : html`Lot ${theirs(product.lot)}`}${product.serial === null ? null : html` Serial ${theirs(product.serial)}`}</p></header>
${productCard(passport)}${operatorCard(passport)}${originCard(passport)}${footprintCard(passport.footprint)}${certificatesCard(passport)}${integrityCard(passport, verifier)}${identityCard(passport)}`,
    `Digital product passport, version ${passport.version}${passport.lastUpdated ? `, of ${dateOf(passport.lastUpdated)}` : ''}`,
  );
}

/** The page where no passport is shown, for a person who scanned a code. */
export const absencePage = (title: string, sentence: string): string =>
  document(title, html`<section class="wide note"><h1>${title}</h1><p>${sentence}</p></section>`, 'Digital product passport');

/** The page where several tenants have a passport at one link. Its links stay on the host that was asked. */
export const choicesPage = ({ choices }: PassportChoices): string =>
  document(
    'Several passports',
    html`<section class="wide note"><h1>Several companies have a passport for this code</h1><p>Choose the company from which you have the product. Its name is on the product or on its papers.</p></section>
<section class="wide"><ul>${choices.map(({ tenantName, path }) => html`<li><a href="${path}" rel="nofollow">${theirs(tenantName)}</a></li>`)}</ul></section>`,
    'Digital product passport',
  );

const document = (title: string, content: Html, footer: string): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="referrer" content="no-referrer"><title>${title}</title><style>${new Html(STYLE)}</style></head>
<body><main>${content}</main><footer>${footer}</footer></body></html>
`.text;

const CLASSES: Readonly<Record<string, string>> = {
  I: 'Class I: it may cause serious harm to health or death.',
  II: 'Class II: it may cause harm to health that passes or can be treated.',
  III: 'Class III: it is unlikely to cause harm to health.',
  withdrawal: 'Withdrawn from the market.',
};

function recallBanner(recalls: readonly PublicRecall[]): Html | null {
  if (recalls.length === 0) return null;
  return html`<section class="wide alarm" role="alert"><h2>Recalled: do not use this product</h2>${recalls.map(
    ({ reason, recallClass, instructions, date }) =>
      html`<p class="prewrap" dir="auto"><b>${reason ?? 'The reason is not known.'}</b></p>${instructions === null ? null : html`<p class="prewrap" dir="auto">${instructions}</p>`}<p class="soft">${CLASSES[recallClass ?? ''] ?? null} Since ${dateOf(date)}.</p>`,
  )}</section>`;
}

function retiredNote({ product, recalls }: PublicPassport): Html | null {
  const { retired } = product;
  if (retired?.reason === 'voided')
    return html`<section class="wide note"><h2>This record was voided</h2><p>It was made by mistake. Do not rely on anything below.</p></section>`;
  if (retired)
    return html`<section class="wide note"><h2>${wordsOf(retired.reason)}</h2><p>This lot left the supply chain in ${dateOf(retired.month)}.</p></section>`;
  if (product.expired && recalls.length === 0)
    return html`<section class="wide note"><h2>Past its date</h2><p>Best before ${dateOf(product.bestBefore)}.</p></section>`;
  return null;
}

const row = (name: string, value: string | Html | null): Html | null =>
  value === null ? null : html`<dt>${theirs(name)}</dt><dd>${typeof value === 'string' ? theirs(value) : value}</dd>`;

function productCard({ product }: PublicPassport): Html {
  return html`<section><h2>Product</h2><dl>${row('Category', product.category && wordsOf(product.category))}${row('Produced', product.producedOn && dateOf(product.producedOn))}${row('Best before', product.bestBefore && dateOf(product.bestBefore))}${row('HS code', product.hsCode)}${Object.entries(product.attributes).map(([name, value]) => row(measured(name, value)[0], linkOr(value, measured(name, value)[1])))}</dl></section>`;
}

/** A web address that the process map calls public becomes a link. */
function linkOr(value: unknown, words = valueOf(value)): string | Html {
  if (typeof value !== 'string' || !/^https?:\/\/[^\s]+$/.test(value)) return words;
  return html`<a dir="auto" href="${value}" rel="nofollow noopener">${value}</a>`;
}

function operatorCard({ operator, traceability }: PublicPassport): Html {
  const { verifiedRatio, chainOfCustody, claimShare } = traceability;
  return html`<section><h2>Responsible company</h2><dl>${operator === null ? row('Operator', 'Not stated') : html`${row('Operator', operator.name)}${row('LEI', operator.lei)}${row('GLN', operator.gln)}${Object.entries(operator.contact).map(([name, value]) => row(wordsOf(name), linkOr(value)))}`}${row('Chain of custody', chainOfCustody && wordsOf(chainOfCustody))}${row('Of known origin', claimShare === null ? null : percentOf(claimShare))}${row('Steps verified', verifiedRatio === null ? null : percentOf(verifiedRatio))}</dl></section>`;
}

function originCard({ origin }: PublicPassport): Html {
  const more = origin.complete ? null : html`<p class="soft">More steps exist than are shown here.</p>`;
  return html`<section class="wide"><h2>Origin</h2>${origin.steps.length === 0 ? html`<p class="soft">No step is known.</p>` : html`<ol class="steps">${origin.steps.map(stepItem)}</ol>`}${more}</section>`;
}

function stepItem({ process, country, region, month, verifiedRatio, attributes }: OriginStep): Html {
  const where = region === null ? html`${countryOf(country)}` : html`${theirs(region)}, ${countryOf(country)}`;
  const details = Object.entries(attributes).map(([name, values], i) => {
    const [words, value] = measured(name, values);
    return html`${i === 0 ? null : ' · '}${theirs(`${words}: ${value}`)}`;
  });
  return html`<li><b dir="auto">${process}</b>${where}${month === null ? null : html`, ${dateOf(month)}`}${verifiedRatio === null || verifiedRatio === 1 ? null : html`<p class="soft">${percentOf(verifiedRatio)} verified</p>`}${details.length === 0 ? null : html`<p class="soft">${details}</p>`}</li>`;
}

const UNITS: Readonly<Record<string, string>> = { kgCO2e: 'kg CO₂e', m3: 'm³' };

function footprintCard(footprint: PublicFootprint | null): Html {
  if (footprint === null) return html`<section><h2>Footprint</h2><p class="soft">No footprint was declared.</p></section>`;
  const figure = (value: number | null, lowerBound: boolean): string =>
    value === null ? '–' : `${lowerBound ? '≥ ' : ''}${figureOf(value)}`;
  return html`<section><h2>Footprint</h2><table><thead><tr><th scope="col"><span class="unseen">Indicator</span></th><th scope="col" class="n">per kg</th><th scope="col" class="n">per unit</th></tr></thead><tbody>${Object.entries(
    footprint.indicators,
  ).map(
    ([name, { unit, perKg, perUnit, lowerBound, coverage }]) =>
      html`<tr><th scope="row">${wordsOf(name)}, ${UNITS[unit] ?? unit}${coverage !== null && coverage < 1 ? html`<br><span class="soft">${percentOf(coverage)} of the mass covered</span>` : null}</th><td class="n">${figure(perKg, lowerBound)}</td><td class="n">${figure(perUnit, lowerBound)}</td></tr>`,
  )}</tbody></table><p class="soft">Cradle to gate${footprint.standards.length === 0 ? null : `, ${footprint.standards.join(', ')}`}${primaryShare(footprint)}</p></section>`;
}

function primaryShare({ indicators }: PublicFootprint): string {
  const share = indicators['carbon']?.primaryDataShare ?? null;
  return share === null ? '' : `; ${figureOf(share)} % of the carbon from primary data`;
}

function certificatesCard({ certificates }: PublicPassport): Html {
  const validity = (valid: boolean | null): string => (valid === null ? '' : valid ? 'valid' : 'expired');
  return html`<section><h2>Certificates</h2>${
    certificates.length === 0
      ? html`<p class="soft">No certificate is public.</p>`
      : html`<ul>${certificates.map(
          ({ type, issuer, validTo, valid, verified }) =>
            html`<li>${theirs(wordsOf(type.toLowerCase()))}${issuer === null ? null : html`, ${theirs(issuer)}`}${validTo === null ? null : html`<br><span class="soft">${validity(valid)}, to ${dateOf(validTo)}</span>`}${verified ? null : html`<br><span class="soft">not verified</span>`}</li>`,
        )}</ul>`
  }</section>`;
}

const RESULTS = {
  ok: 'bytes, hash and chain agree',
  mismatch: 'bytes, hash and chain do not agree',
  unreachable: 'could not be checked',
};

function integrityCard({ integrity, links }: PublicPassport, verifier: string): Html | null {
  if (integrity === null) return null;
  const { chainId, contract, mintTx, dataHash, lastCheck, result } = integrity;
  return html`<section class="wide"><h2>Evidence</h2><dl>${row('Last check', result === null || lastCheck === null ? 'not yet' : `${RESULTS[result]}, ${dateOf(lastCheck)}`)}${row('Chain', String(chainId))}${row('Contract', html`<code>${contract}</code>`)}${row('Transaction', html`<code>${mintTx}</code>`)}${row('Data hash', html`<code>${dataHash}</code>`)}</dl>${links.bundle === null ? null : html`<p><a href="${links.bundle}">Evidence file</a>, <a href="${verifier}">page that checks it</a></p>`}</section>`;
}

function identityCard({ product, links, passportId }: PublicPassport): Html | null {
  if (passportId === null) return null;
  const link = links.digitalLink ?? links.self;
  return html`<section class="wide"><h2>This passport</h2><div class="ids">${new Html(qrSvg(link, 'QR code of this passport'))}<dl>${row('GTIN', product.gtin)}${row('Lot', product.lot)}${row('Serial', product.serial)}${row('Address', html`<a href="${link}">${link}</a>`)}</dl></div></section>`;
}

/** `packaging.massPerUnitG` reads "Packaging mass per unit G"; `well_milled` "well milled". */
function wordsOf(name: string): string {
  const text = name
    .replaceAll(/[._-]+/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Any JSON value as a person reads it. */
function valueOf(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value)) return dateOf(value);
  if (typeof value === 'string') return /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/i.test(value) ? value.replaceAll('_', ' ') : value;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueOf).join(', ');
  return Object.entries(value)
    .map(([name, member]) => measured(name, member))
    .map(([name, text]) => `${name.toLowerCase()}: ${text}`)
    .join('; ');
}

const SUFFIXES: Readonly<Record<string, string>> = {
  Percent: '%',
  Kg: 'kg',
  G: 'g',
  Gsm: 'g/m²',
  Micron: 'µm',
  Mm: 'mm',
  Cm: 'cm',
  Ml: 'ml',
  L: 'l',
};
const UNIT = new RegExp(`^(.*[a-z\\d])(${Object.keys(SUFFIXES).join('|')})$`);

/** Name and value in words; `massPerUnitG` 45 is "Mass per unit", "45 g". */
export function measured(name: string, value: unknown): [string, string] {
  const [, of, unit] = UNIT.exec(name) ?? [];
  const numbers = [value].flat();
  if (of === undefined || unit === undefined || numbers.length === 0 || !numbers.every((one) => typeof one === 'number'))
    return [wordsOf(name), valueOf(value)];
  return [wordsOf(of), numbers.map((one) => `${valueOf(one)} ${SUFFIXES[unit]}`).join(', ')];
}

const COUNTRIES = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' });

function countryOf(code: string | null): string {
  if (code === null) return 'Place not stated';
  try {
    return COUNTRIES.of(code) ?? code;
  } catch {
    return code;
  }
}

const MONTH = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `2026-09` or `2026-09-21`, or an instant, in words. */
function dateOf(text: string | null): string {
  if (text === null) return '–';
  const time = new Date(text.length === 7 ? `${text}-01` : text);
  return Number.isNaN(time.getTime()) ? text : (text.length === 7 ? MONTH : DAY).format(time);
}

/** Three significant digits. */
const figureOf = (value: number): string => new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format(value);
const percentOf = (ratio: number): string => `${Math.floor(ratio * 100 + 1e-9)} %`;
