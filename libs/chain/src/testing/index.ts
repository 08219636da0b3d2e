export * from './demo-chain.js';
export * from './test-anvil.js';
