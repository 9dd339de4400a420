/** Window of a page of the benchmark, which opens the file and answers when its first page is drawn. */
export interface PdfBenchWindow extends Window {
  /** Opens the file and closes it again. @returns milliseconds until the first page was drawn */
  openOnce: (close: boolean) => Promise<number>;
}

/** Size of the file on the server. */
export async function readSize(): Promise<number> {
  const response = await fetch('/file.pdf', { method: 'HEAD' });
  return Number(response.headers.get('content-length'));
}
