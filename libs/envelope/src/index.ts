export * from './classes.js';
export * from './disclosure.js';
export * from './envelope.js';
export * from './fault.js';
export * from './open-content.js';
export { type Leaf, type Path, pointerOf } from './path.js';
export { type ContentKeys, type SealedContent, sealContent } from './seal-content.js';
export { drawRandom, KEY_BYTES, type Random } from './sealing.js';
export { bytesOf, hashesOf, hexOf, type TreeHash } from './tree.js';
