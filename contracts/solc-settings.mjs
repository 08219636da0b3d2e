/**
 * Compiler settings of the published bytecode. foundry.toml has the same for the Solidity tests.
 * More than 100 optimizer runs put TenantLots over the code size limit. No metadata hash: the bytecode depends on the code alone,
 * not on comments or paths, so compiling the sources always gives the same bytes.
 */
export const solcSettings = {
  evmVersion: 'osaka',
  optimizer: { enabled: true, runs: 100 },
  viaIR: false,
  metadata: { bytecodeHash: 'none' },
};
