// Large files are still being read after the click.
const REVOKE_DELAY_MS = 60_000;

/** Downloads a text or a file. */
export function saveFile(name: string, content: string | Blob, type = 'text/csv'): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_DELAY_MS);
}
