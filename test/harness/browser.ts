import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, type Page, chromium } from 'playwright-core';
import { PATIENCE_MS } from './eventually.js';

/** Where systems keep it; CHROMIUM_PATH names another. */
const PLACES = [process.env.CHROMIUM_PATH ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** @returns null where no Chromium is installed */
export const findChromium = (): string | null => PLACES.find((place) => place !== '' && existsSync(place)) ?? null;

/** A real browser without a screen. It may run as root, where its own sandbox does not start. @param flags further ones, as of a camera */
export const openBrowser = (executablePath: string, flags: readonly string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath,
    timeout: PATIENCE_MS * 2,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking', '--no-first-run', ...flags],
  });

export interface WatchedPage {
  readonly page: Page;
  /** What the page said was wrong: exceptions, and what its policy forbade. */
  readonly complaints: string[];
}

export async function openPage(context: BrowserContext): Promise<WatchedPage> {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && /Content Security Policy|Uncaught/.test(message.text())) complaints.push(message.text());
  });
  return { page, complaints };
}
