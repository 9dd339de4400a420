/**
 * Pictures of text documents: a picture whose alternative text is the placeholder of an image field is exchanged by the image of
 * the entry, in the frame of the picture. docxtemplater knows texts only, so a text with the placeholder is put before the picture;
 * what it becomes names the image, and is removed when the picture is exchanged.
 */
import { imageSize } from 'image-size';
import type PizZip from 'pizzip';
import { listItems, type ReportPicture, type ReportValue } from '../language/values.ts';

/** A drawing without another one in it. */
const DRAWING = /<w:drawing(?:\s[^>]*)?>(?:(?!<w:drawing[\s>])[^])*?<\/w:drawing>/g;
const BLIP = /(<a:blip\s[^>]*r:embed=")([^"]*)(")/g;
const ALTERNATIVE_TEXT = /<wp:docPr\s[^>]*?\bdescr\s*=\s*(?:"([^"]*)"|'([^']*)')/;
/** The only content of an alternative text. */
const PLACEHOLDER = /^\s*\{([^{}&<>]+)\}\s*$/;

/** Attribute of the text before a picture, as the reader of a template gets it. */
export const PICTURE_ATTRIBUTE = 'steward-picture';

/** File name extensions by the media types that Word shows. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
};

const IMAGE_RELATION = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/image';
const RELATIONS_NAMESPACE = 'http://schemas.openxmlformats.org/package/2006/relationships';
/** Ids of exchanged pictures begin here: those of a document must differ, and Word counts from 1. */
const FIRST_ID = 1_000_000;

/** The path that the alternative text of a drawing with one picture names. */
function readPath(drawing: string): string | undefined {
  if ([...drawing.matchAll(BLIP)].length !== 1) return undefined;
  const [, double, single] = ALTERNATIVE_TEXT.exec(drawing) ?? [];
  return PLACEHOLDER.exec(double ?? single ?? '')?.[1]?.trim();
}

/** Puts a text before each picture whose alternative text is a placeholder; `toText` may leave a picture as it is. */
export const markPictures = (xml: string, toText: (path: string) => string | undefined): string =>
  xml.replaceAll(DRAWING, (drawing) => {
    const path = readPath(drawing);
    const text = path === undefined ? undefined : toText(path);
    return text === undefined ? drawing : `<w:t ${PICTURE_ATTRIBUTE}="1">${text}</w:t>${drawing}`;
  });

/** The pictures of one document while it is filled. */
export interface PictureExchange {
  /** Text for the place before a picture. */
  toText: (value: ReportValue | undefined) => string;
  /** Exchanges the pictures in the parts of a filled document, and removes those without an image. */
  finish: (zip: PizZip, parts: readonly string[]) => void;
}

/** @param nonce what no value contains */
export function createPictureExchange(nonce: string): PictureExchange {
  const images = new Map<string, ReportPicture>();
  return {
    toText(value) {
      const [first] = value ? listItems(value) : [];
      if (first?.kind !== 'picture' || !Object.hasOwn(EXTENSIONS, first.type)) return `${nonce}:-`;
      images.set(first.sha256, first);
      return `${nonce}:${first.sha256}`;
    },
    finish(zip, parts) {
      const marked = new RegExp(`<w:t(?:\\s[^>]*)?>${nonce}:(-|[0-9a-f]+)</w:t>(${DRAWING.source})`, 'g');
      const used = new Set<ReportPicture>();
      let id = FIRST_ID;
      for (const part of parts) {
        const shown = new Set<ReportPicture>();
        const xml = zip.file(part)?.asText() ?? '';
        const exchanged = xml.replaceAll(marked, (_all, hash: string, drawing: string) => {
          const image = images.get(hash);
          if (!image) return '';
          shown.add(image);
          return exchange(drawing, image, (id += 1));
        });
        if (exchanged === xml) continue;
        zip.file(part, exchanged);
        if (shown.size > 0) addRelations(zip, part, [...shown]);
        for (const image of shown) used.add(image);
      }
      for (const image of used) zip.file(getMember(image), image.bytes, { createFolders: false });
      addContentTypes(zip, new Set([...used].map(({ type }) => type)));
    },
  };
}

const getName = ({ sha256, type }: ReportPicture): string =>
  `${sha256.slice(0, 32)}.${EXTENSIONS[type] ?? ''}`;
const getMember = (image: ReportPicture): string => `word/media/${getName(image)}`;
const getRelationId = ({ sha256 }: ReportPicture): string => `steward${sha256.slice(0, 32)}`;

/** The drawing with the image, which keeps its proportions within the frame. */
function exchange(drawing: string, image: ReportPicture, id: number): string {
  const [frame, cx = '', cy = ''] = /<wp:extent\s[^>]*?cx="(\d+)"\s+cy="(\d+)"/.exec(drawing) ?? [];
  const { width, height } = imageSize(image.bytes);
  const scale = Math.min(Number(cx) / width, Number(cy) / height);
  const size = `cx="${Math.round(width * scale)}" cy="${Math.round(height * scale)}"`;
  const sized =
    frame === undefined
      ? drawing
      : drawing.replaceAll(
          /(<(?:wp:extent|a:ext)\s[^>]*?)cx="\d+"\s+cy="\d+"/g,
          (_all, start) => `${start}${size}`,
        );
  return (
    sized
      .replaceAll(BLIP, (_all, start, _former, end) => `${start}${getRelationId(image)}${end}`)
      // A crop by the author belongs to the former picture.
      .replaceAll(/<a:srcRect\s[^>]*\/>/g, '')
      .replace(/(<wp:docPr\s[^>]*?\bid\s*=\s*")\d+"/, (_all, start) => `${start}${id}"`)
  );
}

function addRelations(zip: PizZip, part: string, images: readonly ReportPicture[]): void {
  const [, folder = '', name = ''] = /^(.*\/)?([^/]*)$/.exec(part) ?? [];
  const path = `${folder}_rels/${name}.rels`;
  const lines = images.map(
    (image) =>
      `<Relationship Id="${getRelationId(image)}" Type="${IMAGE_RELATION}" Target="/${getMember(image)}"/>`,
  );
  const known = zip.file(path)?.asText() ?? `<Relationships xmlns="${RELATIONS_NAMESPACE}"></Relationships>`;
  zip.file(path, known.replace(/<\/Relationships>\s*$/, `${lines.join('')}</Relationships>`), {
    createFolders: false,
  });
}

function addContentTypes(zip: PizZip, types: ReadonlySet<string>): void {
  const path = '[Content_Types].xml';
  const known = zip.file(path)?.asText() ?? '';
  const missing = [...types].filter(
    (type) => !known.toLowerCase().includes(`extension="${EXTENSIONS[type]}"`),
  );
  const lines = missing.map((type) => `<Default Extension="${EXTENSIONS[type]}" ContentType="${type}"/>`);
  zip.file(
    path,
    known.replace(/(<Types\s[^>]*>)/, (start) => start + lines.join('')),
  );
}
