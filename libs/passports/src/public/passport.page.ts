import { Html, html, theirs, type Language } from '#kernel';
import type { LinkedPassport, OriginStep, PublicFootprint, PublicPassport, PublicRecall } from '../composing/passport.js';
import { pageOf } from '../pages/document.page.js';
import { type LabelSymbol, qrSymbol, symbolSvg } from '../pages/symbols.page.js';
import type { TextKey } from '../pages/texts.page.js';
import { type Wording, wordingIn } from '../pages/wording.page.js';
import type { PassportChoices } from './passport-choices.js';
import { placesCard } from './places.page.js';
import { withoutGeometries } from './places.rules.js';

interface PageOptions {
  /** Address of the page that checks evidence. */
  readonly verifier?: string;
  /** Shown first behind recalls: what a reader with a grant reads. */
  readonly more?: Html | null;
  /** The Data Matrix of its Digital Link. */
  readonly matrix?: LabelSymbol | null;
}

/** A whole page without a script. The JSON has the same content. */
export function passportPage(
  passport: PublicPassport,
  language: Language = 'en',
  { verifier = '/verify', more = null, matrix = null }: PageOptions = {},
): string {
  const { product, version, lastUpdated } = passport;
  const words = wordingIn(language);
  const named = words.text('version', String(version));
  return pageOf(words, {
    title: `${product.name} · ${product.serial ?? product.lot}`,
    content: html`${recallBanner(passport.recalls, words)}${retiredNote(passport, words)}${linkedCard('nextTitle', passport.nextPassports, words)}${headline(passport, words)}${linkedCard('previousTitle', passport.previousPassports, words)}${more}
${productCard(passport, words)}${operatorCard(passport, words)}${originCard(passport, words)}${placesCard(passport, words)}${footprintCard(passport.footprint, words)}${certificatesCard(passport, words)}${integrityCard(passport, verifier, words)}${identityCard(passport, matrix, words)}`,
    footer: `${words.text('passport')}, ${lastUpdated === null ? named : words.text('dated', named, words.date(lastUpdated))}`,
  });
}

/** The page where several tenants have a passport at one link. Its links stay on the host that was asked. */
export function choicesPage({ choices }: PassportChoices, language: Language = 'en'): string {
  const words = wordingIn(language);
  return pageOf(words, {
    title: words.text('severalTitle'),
    content: html`<section class="wide note"><h1>${words.text('severalTitle')}</h1><p>${words.text('severalText')}</p></section>
<section class="wide"><ul>${choices.map(({ tenantName, path }) => html`<li><a href="${path}" rel="nofollow">${theirs(tenantName)}</a></li>`)}</ul></section>`,
    footer: words.text('passport'),
  });
}

function headline({ product, passportStatus }: PublicPassport, words: Wording): Html {
  const { description, name, lot, serial, picture } = product;
  return html`<header class="wide"><span class="state ${passportStatus}">${words.text(passportStatus)}</span><h1 dir="auto">${description ?? name}</h1>${description === null ? null : html`<p dir="auto">${name}</p>`}<p class="soft">${lot === null ? null : html`${words.text('lot')} ${theirs(lot)}`}${serial === null ? null : html` ${words.text('serial')} ${theirs(serial)}`}</p>${picture === null ? null : html`<img class="picture" src="${picture}" alt="${words.text('picture')}">`}</header>`;
}

const CLASSES: Readonly<Record<string, TextKey>> = { I: 'classI', II: 'classII', III: 'classIII', withdrawal: 'withdrawal' };

function recallBanner(recalls: readonly PublicRecall[], words: Wording): Html | null {
  if (recalls.length === 0) return null;
  return html`<section class="wide alarm" role="alert"><h2>${words.text('recallTitle')}</h2>${recalls.map(
    ({ reason, recallClass, instructions, date }) => {
      const key = CLASSES[recallClass ?? ''];
      return html`<p class="prewrap" dir="auto"><b>${reason ?? words.text('reasonUnknown')}</b></p>${instructions === null ? null : html`<p class="prewrap" dir="auto">${instructions}</p>`}<p class="soft">${key ? words.text(key) : null} ${words.text('since', words.date(date))}</p>`;
    },
  )}</section>`;
}

function retiredNote({ product, recalls }: PublicPassport, words: Wording): Html | null {
  const { retired } = product;
  const note = (title: string, sentence: string): Html => html`<section class="wide note"><h2>${title}</h2><p>${sentence}</p></section>`;
  if (retired?.reason === 'voided') return note(words.text('voidedTitle'), words.text('voidedText'));
  if (retired) return note(words.name(retired.reason), words.text('leftChain', words.date(retired.month)));
  if (product.expired && recalls.length === 0)
    return note(words.text('pastDate'), words.text('bestBeforeOn', words.date(product.bestBefore)));
  return null;
}

/** The way to the passports of what the goods were before, or became. */
function linkedCard(title: TextKey, passports: readonly LinkedPassport[], words: Wording): Html | null {
  if (passports.length === 0) return null;
  return html`<section class="wide note"><h2>${words.text(title)}</h2><ul>${passports.map((linked) => html`<li>${linkTo(linked, words)}</li>`)}</ul></section>`;
}

function linkTo({ id, passportId, name, key }: LinkedPassport, words: Wording): Html {
  if (passportId !== null) return html`<a href="/p/${passportId}">${theirs(name ?? words.text('otherPassport'))}</a> ${theirs(key ?? '')}`;
  return /^https?:/i.test(id) ? html`<a dir="auto" href="${id}" rel="nofollow noopener">${id}</a>` : html`${theirs(id)}`;
}

function productCard({ product }: PublicPassport, words: Wording): Html {
  const { category, producedOn, bestBefore, hsCode, attributes } = product;
  return html`<section><h2>${words.text('product')}</h2><dl>${words.row(words.text('category'), category && words.name(category))}${words.row(words.text('produced'), producedOn && words.date(producedOn))}${words.row(words.text('bestBefore'), bestBefore && words.date(bestBefore))}${words.row(words.text('hsCode'), hsCode)}${words.rows(withoutGeometries(attributes))}</dl></section>`;
}

function operatorCard({ operator, traceability }: PublicPassport, words: Wording): Html {
  const { verifiedRatio, chainOfCustody, claimShare } = traceability;
  const company =
    operator === null
      ? words.row(words.text('operator'), words.text('notStated'))
      : html`${words.row(words.text('operator'), operator.name)}${words.row('LEI', operator.lei)}${words.row('GLN', operator.gln)}${words.rows(operator.contact)}`;
  const logo = operator?.logo ? html`<img class="logo" src="${operator.logo}" alt="${words.text('logo', operator.name)}">` : null;
  return html`<section><h2>${words.text('company')}</h2>${logo}<dl>${company}${words.row(words.text('custody'), chainOfCustody && words.name(chainOfCustody))}${words.row(words.text('knownOrigin'), claimShare === null ? null : words.percent(claimShare))}${words.row(words.text('stepsVerified'), verifiedRatio === null ? null : words.percent(verifiedRatio))}</dl></section>`;
}

function originCard({ origin }: PublicPassport, words: Wording): Html {
  const more = origin.complete ? null : html`<p class="soft">${words.text('moreSteps')}</p>`;
  const steps =
    origin.steps.length === 0
      ? html`<p class="soft">${words.text('noStep')}</p>`
      : html`<ol class="steps">${origin.steps.map((step) => stepItem(step, words))}</ol>`;
  return html`<section class="wide"><h2>${words.text('origin')}</h2>${steps}${more}</section>`;
}

function stepItem({ process, country, region, month, verifiedRatio, attributes }: OriginStep, words: Wording): Html {
  const where = region === null ? html`${words.country(country)}` : html`${theirs(region)}, ${words.country(country)}`;
  const details = Object.entries(withoutGeometries(attributes)).map(([name, values], i) => {
    const [label, value] = words.measured(name, values);
    return html`${i === 0 ? null : ' · '}${theirs(`${label}: ${value}`)}`;
  });
  const verified = verifiedRatio === null || verifiedRatio === 1 ? null : words.text('verified', words.percent(verifiedRatio));
  return html`<li><b dir="auto">${process}</b>${where}${month === null ? null : html`, ${words.date(month)}`}${verified === null ? null : html`<p class="soft">${verified}</p>`}${details.length === 0 ? null : html`<p class="soft">${details}</p>`}</li>`;
}

const UNITS: Readonly<Record<string, string>> = { kgCO2e: 'kg CO₂e', m3: 'm³' };

function footprintCard(footprint: PublicFootprint | null, words: Wording): Html {
  const title = words.text('footprint');
  if (footprint === null) return html`<section><h2>${title}</h2><p class="soft">${words.text('noFootprint')}</p></section>`;
  const figure = (value: number | null, lowerBound: boolean): string =>
    value === null ? '–' : `${lowerBound ? '≥ ' : ''}${words.figure(value)}`;
  const share = footprint.indicators['carbon']?.primaryDataShare ?? null;
  const method = [words.text('cradle'), ...footprint.standards].join(', ');
  return html`<section><h2>${title}</h2><table><thead><tr><th scope="col"><span class="unseen">${words.text('indicator')}</span></th><th scope="col" class="n">${words.text('perKg')}</th><th scope="col" class="n">${words.text('perUnit')}</th></tr></thead><tbody>${Object.entries(
    footprint.indicators,
  ).map(
    ([name, { unit, perKg, perUnit, lowerBound, coverage }]) =>
      html`<tr><th scope="row">${words.name(name)}, ${UNITS[unit] ?? unit}${coverage !== null && coverage < 1 ? html`<br><span class="soft">${words.text('covered', words.percent(coverage))}</span>` : null}</th><td class="n">${figure(perKg, lowerBound)}</td><td class="n">${figure(perUnit, lowerBound)}</td></tr>`,
  )}</tbody></table><p class="soft">${method}${share === null ? null : `; ${words.text('primary', words.figure(share))}`}</p></section>`;
}

function certificatesCard({ certificates }: PublicPassport, words: Wording): Html {
  const validity = (valid: boolean | null, to: string): string => words.text(valid === false ? 'expiredOn' : 'validUntil', words.date(to));
  return html`<section><h2>${words.text('certificates')}</h2>${
    certificates.length === 0
      ? html`<p class="soft">${words.text('noCertificate')}</p>`
      : html`<ul>${certificates.map(
          ({ type, issuer, validTo, valid, verified }) =>
            html`<li>${theirs(words.name(type.toLowerCase()))}${issuer === null ? null : html`, ${theirs(issuer)}`}${validTo === null ? null : html`<br><span class="soft">${validity(valid, validTo)}</span>`}${verified ? null : html`<br><span class="soft">${words.text('notVerified')}</span>`}</li>`,
        )}</ul>`
  }</section>`;
}

function integrityCard({ integrity, links }: PublicPassport, verifier: string, words: Wording): Html | null {
  if (integrity === null) return null;
  const { chainId, contract, mintTx, dataHash, lastCheck, result } = integrity;
  const checked = result === null || lastCheck === null ? words.text('notYet') : `${words.text(result)}, ${words.date(lastCheck)}`;
  const code = (key: TextKey, value: string): Html | null => words.row(words.text(key), html`<code>${value}</code>`);
  return html`<section class="wide"><h2>${words.text('evidence')}</h2><dl>${words.row(words.text('lastCheck'), checked)}${words.row(words.text('chain'), String(chainId))}${code('contract', contract)}${code('transaction', mintTx)}${code('dataHash', dataHash)}</dl>${links.bundle === null ? null : html`<p><a href="${links.bundle}">${words.text('evidenceFile')}</a>, <a href="${verifier}">${words.text('checkPage')}</a></p>`}</section>`;
}

function identityCard({ product, links, passportId }: PublicPassport, matrix: LabelSymbol | null, words: Wording): Html | null {
  if (passportId === null) return null;
  const link = links.digitalLink ?? links.self;
  const codes =
    symbolSvg(qrSymbol(link), 'qr', words.text('code', 'QR code')) + (matrix ? symbolSvg(matrix, 'dm', words.text('matrix')) : '');
  return html`<section class="wide"><h2>${words.text('thisPassport')}</h2><div class="ids">${new Html(codes)}<dl>${words.row('GTIN', product.gtin)}${words.row(words.text('lot'), product.lot)}${words.row(words.text('serial'), product.serial)}${words.row(words.text('address'), html`<a href="${link}">${link}</a>`)}</dl></div></section>`;
}
