/** Saves texts, one after the other, as a file. */
export function saveFile(name: string, type: string, texts: string[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(texts, { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
