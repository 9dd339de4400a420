/** The viewer to be loaded lazily within a page, beside `PdfDialog`. */
export { PdfViewer as default } from './PdfViewer.tsx';
