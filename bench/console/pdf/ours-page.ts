/** The viewer of the console, with the ranges of the server as its source. */
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import type { PdfSource } from '../../../src/ui/pdf/pdf-document.ts';
import { PdfViewer } from '../../../src/ui/pdf/PdfViewer.tsx';
import { measureFrames, type PdfBenchWindow, readSize } from './window.ts';

const host = document.createElement('div');
host.style.cssText = 'display: grid; width: 1000px; height: 800px';
document.body.append(host);
const size = await readSize();

const source: PdfSource = {
  name: 'file.pdf',
  size,
  async read(begin, end, signal) {
    const response = await fetch('/file.pdf', { headers: { Range: `bytes=${begin}-${end - 1}` }, signal });
    return new Uint8Array(await response.arrayBuffer());
  },
};

/** Resolves when the canvas of the first page is in the document, which it is when it is drawn. */
const waitForFirstPage = () =>
  new Promise<void>((resolve) => {
    const isDrawn = () => host.querySelector('[data-page="1"] canvas') !== null;
    const observer = new MutationObserver(() => {
      if (!isDrawn()) return;
      observer.disconnect();
      requestAnimationFrame(() => resolve());
    });
    observer.observe(host, { childList: true, subtree: true });
  });

(window as unknown as PdfBenchWindow).openOnce = async (close) => {
  const started = performance.now();
  const drawn = waitForFirstPage();
  const root = createRoot(host);
  root.render(createElement(PdfViewer, { source: { ...source }, onDownload: () => {} }));
  await drawn;
  const duration = performance.now() - started;
  if (close) root.unmount();
  return duration;
};
(window as unknown as PdfBenchWindow).scrollFile = () => measureFrames(host.querySelector('.pdf-viewport'));
