import { createRequire } from 'node:module';
import type * as Undici from 'undici';

const require = createRequire(import.meta.url);

/** Loaded by the first request to a receiver, because it takes long to load. */
export const undici = (): typeof Undici => require('undici') as typeof Undici;
