import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { Locator, Page } from 'playwright-core';

const axe = createRequire(resolve('package.json')).resolve('axe-core/axe.min.js');

/** What axe checks when only colours are others: the dark theme changes nothing else. */
const OF_COLOURS = { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } };

/** What axe says against the page, and where it is wider than the screen: at both widths, for labels differ, and in both themes. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  const faults: string[] = [];
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(readFileSync(axe, 'utf8'));
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const options = JSON.stringify(colorScheme === 'dark' ? OF_COLOURS : {});
      const found = await page.evaluate<string[]>(
        `axe.run(${options}).then((found) => found.violations.map(({ id, nodes }) => \`\${id} \${nodes[0].target}\`))`,
      );
      faults.push(...found.map((fault) => `${colorScheme} ${width}: ${fault}`));
    }
    const widest = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (widest > width) faults.push(`${width}: ${widest} wide`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  return faults;
}

export interface Person {
  readonly email: string;
  readonly password: string;
}

/** On the page that is open: a user who is signed in there is signed out first. */
export async function signInAs(page: Page, { email, password }: Person): Promise<void> {
  await page
    .getByLabel('E-mail')
    .or(page.getByRole('button', { name: 'Sign out' }))
    .first()
    .waitFor();
  if (await page.getByRole('button', { name: 'Sign out' }).isVisible()) await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** Reads what will be, and signs it. @param confirm what the button that signs is called */
export async function reviewAndSign(within: Page | Locator, label: string, confirm = label): Promise<void> {
  await within
    .getByRole('button', { name: `${label} …`, exact: true })
    .first()
    .click();
  await within.locator('.review .says').waitFor();
  await within.locator('.review').getByRole('button', { name: confirm, exact: true }).click();
}

/** The page has loaded everything. */
export const isStill = async (page: Page): Promise<boolean> => (await page.getByText(/^(Loading|Walking|Looking) …$/).count()) === 0;

/** Everything that a harvest of the rice chain must say. Labels begin with what the process map calls it. */
export async function fillHarvest(page: Page, tlc: string): Promise<void> {
  const labelled = (text: RegExp) => page.getByLabel(text).first();
  await labelled(/^Lot code/).fill(tlc);
  await labelled(/^Event time\b(?! zone)/).fill('2026-09-15T08:30');
  await labelled(/^Variety/).fill('Jasmine 85');
  await labelled(/^Harvest date/).fill('2026-09-15');
  await labelled(/^Moisture percent/).fill('22');
  await page.getByRole('group', { name: 'Quantity and unit' }).getByLabel('Value').fill('8000');
  const farmPlace = page.getByRole('group', { name: 'Farm location' });
  await farmPlace.getByLabel('Name').fill('Example Farm A');
  await farmPlace.getByLabel('Country').fill('VN');
  await farmPlace.getByLabel('GLN').first().fill('9520000100018');
  const plot = page.getByRole('group', { name: 'Plot', exact: true });
  await plot.getByLabel('ID').first().fill('A1');
  await plot.getByLabel('Area ha').fill('1.6');
  await plot.getByLabel('Type of plot geolocation').selectOption({ label: 'Point' });
  await plot.getByLabel('Longitude').fill('105.783412');
  await plot.getByLabel('Latitude').fill('10.034518');
}
