/** The start of an answer as text that PostgreSQL can keep: valid UTF-8, no NUL, nothing cut within a character. */
export function storableText(bytes: Buffer, maxBytes: number): string {
  const cut = bytes.subarray(0, maxBytes);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(cut, { stream: bytes.length >= maxBytes });
  return text.replaceAll('\0', '\uFFFD');
}
