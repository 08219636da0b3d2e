export * from './demo-chain.js';
export * from './test-anvil.js';
export { ProjectedChainHead } from '../configured-chain.js';
