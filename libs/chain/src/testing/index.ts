export * from './demo-chain.js';
export * from './test-anvil.js';
export * from './chain-files.js';
export * from './freeze-process.js';
