/** The viewer component of pdf.js (`pdf_viewer`), as its examples use it. */
import { getDocument, GlobalWorkerOptions } from 'pdfjs-dist';
// oxlint-disable-next-line import/default -- the bundler creates this module
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url';
import { EventBus, PDFLinkService, PDFViewer } from 'pdfjs-dist/web/pdf_viewer.mjs';
import 'pdfjs-dist/web/pdf_viewer.css';
import { measureFrames, type PdfBenchWindow } from './window.ts';

GlobalWorkerOptions.workerSrc = workerUrl;

(window as unknown as PdfBenchWindow).openOnce = async (close) => {
  const started = performance.now();
  const container = document.createElement('div');
  container.style.cssText = 'position: absolute; width: 1000px; height: 800px; overflow: auto';
  const viewer = document.createElement('div');
  viewer.className = 'pdfViewer';
  container.append(viewer);
  document.body.append(container);
  const eventBus = new EventBus();
  const linkService = new PDFLinkService({ eventBus });
  const shown = new PDFViewer({ container, viewer, eventBus, linkService });
  linkService.setViewer(shown);
  const drawn = new Promise<void>((resolve) => {
    eventBus.on('pagerendered', ({ pageNumber }: { pageNumber: number }) => {
      if (pageNumber === 1) requestAnimationFrame(() => resolve());
    });
    eventBus.on('pagesinit', () => {
      shown.currentScaleValue = 'page-width';
    });
  });
  const task = getDocument({ url: '/file.pdf', cMapUrl: '/cmaps/', iccUrl: '/iccs/', wasmUrl: '/wasm/' });
  const pdf = await task.promise;
  shown.setDocument(pdf);
  linkService.setDocument(pdf);
  await drawn;
  const duration = performance.now() - started;
  if (close) {
    await task.destroy();
    container.remove();
  }
  return duration;
};
(window as unknown as PdfBenchWindow).scrollFile = () =>
  measureFrames(document.querySelector('.pdfViewer')?.parentElement ?? null);
