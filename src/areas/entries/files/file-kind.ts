/** Which files are shown, and how. */
import type { FileValueVm } from '../../../../contract/generated/types.gen.ts';

// Raster formats only: SVG may contain scripts, and the service serves it as a download.
const RASTER_TYPES = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
]);
const MAX_IMAGE_BYTES = 20_000_000;
/** Larger files have no thumbnail, but a preview. */
const MAX_THUMBNAIL_BYTES = 2_000_000;
const MAX_TEXT_BYTES = 2_000_000;
/** Names of text files; the service does not detect text by its content. SVG is shown as its source. */
const TEXT_NAME = /\.(txt|text|csv|tsv|md|json|xml|ya?ml|html?|svg|log|ini|sql|eml|ics|vcf)$/i;

/** Whether an image can be shown. */
export const isShownImage = ({ contentType, size }: Pick<FileValueVm, 'contentType' | 'size'>): boolean =>
  RASTER_TYPES.has(contentType) && size <= MAX_IMAGE_BYTES;

/** Whether an image is shown small, beside its name in the list of files and over its name in the grid. */
export const hasImageThumbnail = (file: Pick<FileValueVm, 'contentType' | 'size'>): boolean =>
  isShownImage(file) && file.size <= MAX_THUMBNAIL_BYTES;

/** Whether a file is a PDF file. The service detects the type by content; a damaged file is reported by the viewer. */
export const isPdf = ({ contentType }: Pick<FileValueVm, 'contentType'>): boolean =>
  contentType === 'application/pdf';

/** How the content of a file is shown. */
export function getFileKind(file: FileValueVm): 'pdf' | 'image' | 'text' | 'other' {
  if (isPdf(file)) return 'pdf';
  if (isShownImage(file)) return 'image';
  const isText = file.contentType === 'application/octet-stream' && TEXT_NAME.test(file.name);
  return isText && file.size <= MAX_TEXT_BYTES ? 'text' : 'other';
}
