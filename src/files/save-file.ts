// What is large is still being read after the click.
const LATER = 60_000;

/** Hands a text or a file to the browser as a download. */
export function saveFile(name: string, content: string | Blob, type = 'text/csv'): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), LATER);
}
