import type { Config } from '#config';
import { RefusalToStart } from './refusal-to-start.js';

/** Embedded engines belong to one process; several processes share engines by URL. @throws RefusalToStart */
export function requireSharedEngines(config: Config): void {
  if (config.role === 'all') return;
  const embedded = [
    ...(config.database.kind === 'embedded' ? ['DATABASE_URL'] : []),
    ...(config.chain.node.kind === 'embedded' ? ['CHAIN_RPC_URLS'] : []),
    ...(config.content.kind === 'files' ? ['KUBO_RPC_URL (or CONTENT_STORE=database)'] : []),
  ];
  if (embedded.length > 0)
    throw new RefusalToStart(
      `ROLE=${config.role} shares its engines with other processes. Set ${embedded.join(', ')}, or run everything in one process with ROLE=all.`,
    );
}
