import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The node cannot run here, and what to do about it: printed as it is, without a stack. */
export class NodeNotUsable extends Error {}

/**
 * Path of the platform's own binary: the npm wrapper would cost another Node process and cannot pass on a SIGKILL.
 * @throws NodeNotUsable
 */
export function anvilBinary(platform: string = process.platform, arch: string = process.arch): string {
  const cpu = arch === 'x64' ? 'amd64' : arch;
  try {
    return require.resolve(`@foundry-rs/anvil-${platform}-${cpu}/bin/anvil${platform === 'win32' ? '.exe' : ''}`);
  } catch {
    // No such package for this platform, or npm was told to leave optional ones out.
  }
  throw new NodeNotUsable(
    `There is no embedded EVM node for ${platform} ${arch}, or it was not installed (npm install leaves it out with --omit=optional). ` +
      'Set CHAIN_RPC_URLS to the JSON-RPC address of a node.',
  );
}

/** Says in one sentence why the binary ended at once. */
export function whyAnvilEnded(output: string, port: number): string {
  if (/GLIBC_|ld-linux|libc\.so/.test(output))
    return 'The embedded EVM node needs glibc 2.35 or newer (Debian 12, Ubuntu 22.04). Set CHAIN_RPC_URLS to the address of a node elsewhere.';
  if (/in use/.test(output)) return `Port ${port} is taken by another program: free it, or set CHAIN_PORT to another one.`;
  if (/parse json|load.?state|EOF while parsing/i.test(output)) return 'The snapshot of the embedded chain cannot be read.';
  return `The embedded EVM node ended at once: ${output.trim().split('\n').at(-1) ?? 'it said nothing'}`;
}
