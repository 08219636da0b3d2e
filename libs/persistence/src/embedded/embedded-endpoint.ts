import { resolve } from 'node:path';
import type { PostgresEndpoint } from '../endpoint.js';
import { LOGIN } from './bootstrap.js';
import { socketPath } from './data-folder.js';

/** Where the embedded server of this data folder answers while another process runs it. */
export const embeddedEndpoint = (dataDir: string): PostgresEndpoint => ({ host: socketPath(resolve(dataDir)), port: 5432, ...LOGIN });
