/** Small PDF files, written by hand, so that each has exactly what a test needs. */
import { createHash } from 'node:crypto';

interface PdfOptions {
  /** Texts of the pages. */
  pages: readonly string[];
  /** Adds an outline to page 7, a web link and a script on page 1, and a form field. */
  isRich?: boolean;
  /** Number of pages that the file names; default: as many as it has. */
  namedPageCount?: number;
  /** Encrypts the file (40 bits, ISO 32000-1, 7.6.3). */
  password?: string;
}

const FIRST_PAGE = 10;
const getPageId = (index: number) => FIRST_PAGE + 2 * index;
const MEDIA_BOX = '/MediaBox [0 0 595 842]';

/** RC4, which newer versions of OpenSSL no longer offer. */
function encryptRc4(key: Buffer, text: Buffer): Buffer {
  const state = Array.from({ length: 256 }, (_, at) => at);
  const at = (index: number) => state[index & 255] ?? 0;
  const swap = (a: number, b: number) => {
    [state[a & 255], state[b & 255]] = [at(b), at(a)];
  };
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 255;
    swap(i, j);
  }
  let [i, j] = [0, 0];
  return Buffer.from(
    text.map((byte) => {
      i = (i + 1) & 255;
      j = (j + at(i)) & 255;
      swap(i, j);
      return byte ^ at(at(i) + at(j));
    }),
  );
}

const md5 = (...parts: readonly Buffer[]) => createHash('md5').update(Buffer.concat(parts)).digest();
const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');
const padPassword = (password: string) => Buffer.concat([Buffer.from(password), PADDING]).subarray(0, 32);

/** Keys of the standard security handler, revision 2. */
function createKeys(password: string, fileId: Buffer) {
  const padded = padPassword(password);
  const owner = encryptRc4(md5(padded).subarray(0, 5), padded);
  const key = md5(padded, owner, Buffer.from([0xff, 0xff, 0xff, 0xff]), fileId).subarray(0, 5);
  const dictionary = `<< /Filter /Standard /V 1 /R 2 /P -1 /O <${owner.toString('hex')}> /U <${encryptRc4(key, PADDING).toString('hex')}> >>`;
  const encrypt = (object: number, bytes: Buffer) => {
    const suffix = Buffer.from([object & 255, (object >> 8) & 255, (object >> 16) & 255, 0, 0]);
    return encryptRc4(md5(key, suffix).subarray(0, 10), bytes);
  };
  return { dictionary, encrypt };
}

/** Builds a PDF file. The pages have a blue square, whose color a PostScript function computes. */
export function buildPdf({
  pages,
  isRich = false,
  namedPageCount = pages.length,
  password,
}: PdfOptions): Buffer {
  const fileId = Buffer.alloc(16, 7);
  const keys = password === undefined ? undefined : createKeys(password, fileId);
  const objects = new Map<number, Buffer | string>();
  const addStream = (id: number, dictionary: string, content: string) => {
    const plain = Buffer.from(content, 'latin1');
    const bytes = keys ? keys.encrypt(id, plain) : plain;
    const head = Buffer.from(`<< ${dictionary} /Length ${bytes.length} >>\nstream\n`);
    objects.set(id, Buffer.concat([head, bytes, Buffer.from('\nendstream')]));
  };
  const catalog = isRich
    ? '/Outlines 5 0 R /PageMode /UseOutlines /OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >> /AcroForm << /Fields [8 0 R] >>'
    : '';
  objects.set(1, `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`);
  const kids = pages.map((_, index) => `${getPageId(index)} 0 R`).join(' ');
  objects.set(2, `<< /Type /Pages /Count ${namedPageCount} /Kids [${kids}] >>`);
  objects.set(3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>');
  addStream(4, '/FunctionType 4 /Domain [0 1] /Range [0 1 0 1 0 1]', '{ 0 exch 0 exch }');
  if (isRich) {
    objects.set(5, '<< /Type /Outlines /First 6 0 R /Last 6 0 R /Count 1 >>');
    objects.set(6, `<< /Title (Chapter two) /Parent 5 0 R /Dest [${getPageId(6)} 0 R /XYZ 0 842 null] >>`);
    objects.set(
      7,
      '<< /Type /Annot /Subtype /Link /Rect [50 700 250 720] /Border [0 0 0] /A << /S /URI /URI (https://example.com/report) >> >>',
    );
    objects.set(
      8,
      `<< /Type /Annot /Subtype /Widget /FT /Tx /T (Name) /V (Ada) /Rect [50 600 250 620] /P ${getPageId(0)} 0 R >>`,
    );
  }
  for (const [index, text] of pages.entries()) {
    const id = getPageId(index);
    const annotations = isRich && index === 0 ? '/Annots [7 0 R 8 0 R]' : '';
    const resources =
      '/Resources << /Font << /F1 3 0 R >> /ColorSpace << /Blue [/Separation /Spot /DeviceRGB 4 0 R] >> >>';
    objects.set(
      id,
      `<< /Type /Page /Parent 2 0 R ${MEDIA_BOX} ${resources} /Contents ${id + 1} 0 R ${annotations} >>`,
    );
    addStream(id + 1, '', `BT /F1 18 Tf 50 780 Td (${text}) Tj ET\n/Blue cs 1 scn 50 100 100 100 re f`);
  }
  return writeFile(objects, keys && { dictionary: keys.dictionary, fileId });
}

export function writeFile(
  objects: ReadonlyMap<number, Buffer | string>,
  encryption?: { dictionary: string; fileId: Buffer },
): Buffer {
  const parts = [Buffer.from('%PDF-1.7\n')];
  let length = parts[0]?.length ?? 0;
  const offsets = new Map<number, number>();
  for (const [id, object] of objects) {
    offsets.set(id, length);
    const part = Buffer.concat([
      Buffer.from(`${id} 0 obj\n`),
      Buffer.from(object),
      Buffer.from('\nendobj\n'),
    ]);
    parts.push(part);
    length += part.length;
  }
  const size = Math.max(...objects.keys()) + 1;
  const rows = Array.from({ length: size }, (_, id) => {
    const offset = offsets.get(id);
    return offset === undefined ? '0000000000 65535 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const hexId = encryption?.fileId.toString('hex');
  const security = encryption ? `/Encrypt ${encryption.dictionary} /ID [<${hexId}> <${hexId}>]` : '';
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n${rows.join('')}trailer\n<< /Size ${size} /Root 1 0 R ${security} >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}
