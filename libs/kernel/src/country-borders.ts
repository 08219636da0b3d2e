import { createRequire } from 'node:module';
import type * as CountryCoder from '@rapideditor/country-coder';

const require = createRequire(import.meta.url);

/** Loaded by the first question about a country: it takes 0.1 s, and most processes and threads that use the kernel ask none. */
export const countries = (): typeof CountryCoder => require('@rapideditor/country-coder') as typeof CountryCoder;
