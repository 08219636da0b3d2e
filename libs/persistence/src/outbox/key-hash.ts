/** The SQL of the hash of a key: 16 bytes are enough to know one again. */
export const keyHash = (key: string): string => `substring(sha256(convert_to(${key}, 'UTF8')) for 16)`;
