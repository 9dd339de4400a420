const LATER = 60_000;

/** Hands a file to the browser as a download. */
export function saveBlob(name: string, blob: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // What is large is still being read after this task.
  setTimeout(() => URL.revokeObjectURL(link.href), LATER);
}
