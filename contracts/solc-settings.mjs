/**
 * Compiler settings of the published bytecode. No metadata hash: the bytecode depends on the code alone, not on comments or paths, so
 * compiling the sources always gives the same bytes.
 * More than 100 optimizer runs put TenantLots over the code size limit; foundry.toml has its settings for the Solidity tests. The accounts
 * are small, and each call of them pays for the code, so they take what is fastest.
 */
const shared = { evmVersion: 'osaka', metadata: { bytecodeHash: 'none' } };

export const solcSettings = {
  tenant: { ...shared, optimizer: { enabled: true, runs: 100 }, viaIR: false },
  passkeys: { ...shared, optimizer: { enabled: true, runs: 100_000 }, viaIR: true },
};
