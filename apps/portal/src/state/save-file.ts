/** Gives a file to the person, as a download of the browser. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // Until the browser has taken it.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
