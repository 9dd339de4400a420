/** PDF files with what viewers fail on, written by hand. */
import { writeFile } from './pdf.ts';

interface OnePageOptions {
  /** Content of the page. */
  content: string;
  /** Kind of the object `/X`: an image or a form. */
  xObject?: Buffer;
  /** Entries of the catalog. */
  catalog?: string;
  /** Width and height in points. */
  side?: number;
  /** Further objects, from 7. */
  objects?: readonly string[];
}

/** A file with one page; its font is neither in the file nor installed. */
function buildOnePage({ content, xObject, catalog = '', side = 600, objects = [] }: OnePageOptions): Buffer {
  const resources = `/Resources << /Font << /F 4 0 R >> ${xObject ? '/XObject << /X 6 0 R >>' : ''} >>`;
  const text = `BT /F 18 Tf 50 550 Td (Unusual) Tj ET ${content}`;
  const all = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${side} ${side}] ${resources} /Contents 5 0 R >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /NoSuchFont /Encoding /WinAnsiEncoding >>',
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    xObject ?? 'null',
    ...objects,
  ];
  return writeFile(new Map(all.map((object, at) => [at + 1, object] as const)));
}

const stream = (dictionary: string, bytes: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`<< ${dictionary} /Length ${bytes.length} >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ]);

const IMAGE = '/Type /XObject /Subtype /Image /Width 8 /Height 8';
/** Draws `/X` from 100 to 200 points. */
const DRAW_IMAGE = 'q 100 0 0 100 100 100 cm /X Do Q';

/** Bits of a text of zeros and ones, filled up with zeros. */
const toBytes = (bits: string): Buffer =>
  Buffer.from(bits.match(/.{1,8}/g)?.map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)) ?? []);

const toHex4 = (...values: number[]): string =>
  values.map((value) => value.toString(16).padStart(8, '0')).join('');

/** 8 by 8 black pixels (ISO/IEC 14492): the information of the page, and a region of the coding of fax machines. */
function buildJbig2(): Buffer {
  // A line of no white and eight black pixels, and seven that are as the one above.
  const lines = toBytes(`00100110101000101${'11'.repeat(7)}${'000000000001'.repeat(2)}`);
  const region = Buffer.concat([Buffer.from(`${toHex4(8, 8, 0, 0)}0001`, 'hex'), lines]);
  return Buffer.concat([
    Buffer.from(`${toHex4(0)}300001${toHex4(19)}${toHex4(8, 8, 0, 0)}000000`, 'hex'),
    Buffer.from(`${toHex4(1)}260001${toHex4(region.length)}`, 'hex'),
    region,
  ]);
}

/** 8 by 8 gray pixels (ISO/IEC 15444-1): one tile, whose only packet is empty, so that every value is in the middle. */
const JPX = Buffer.from(
  `ff4fff5100290000${toHex4(8, 8, 0, 0, 8, 8, 0, 0)}0001070101ff52000c00000001000004040001` +
    'ff5c00044040ff90000a00000000000f0001ff9300ffd9',
  'hex',
);

/** Files with images whose decoders are WebAssembly; the image is at 100 to 200 points. */
export const IMAGE_FILES: readonly { name: string; gray: number; buffer: Buffer }[] = [
  {
    name: 'jbig2.pdf',
    gray: 0,
    buffer: buildOnePage({
      content: DRAW_IMAGE,
      xObject: stream(
        `${IMAGE} /ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /JBIG2Decode`,
        buildJbig2(),
      ),
    }),
  },
  {
    name: 'jpx.pdf',
    gray: 128,
    buffer: buildOnePage({
      content: DRAW_IMAGE,
      xObject: stream(`${IMAGE} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /JPXDecode`, JPX),
    }),
  },
];

/** A form that draws itself. */
export const ENDLESS_FILE = buildOnePage({
  content: '/X Do',
  xObject: stream(
    '/Type /XObject /Subtype /Form /BBox [0 0 600 600] /Resources << /XObject << /X 6 0 R >> >>',
    Buffer.from('0 0 10 10 re f /X Do'),
  ),
});

/** The largest page of the format: five meters. */
export const LARGEST_PAGE_FILE = buildOnePage({ content: '', side: 14_400 });

/** A form in XFA, and an attached file. */
export const INACTIVE_FILE = buildOnePage({
  content: '',
  catalog:
    '/AcroForm << /Fields [] /XFA 7 0 R >> /Names << /EmbeddedFiles << /Names [(a.txt) << /Type /Filespec /F (a.txt) /EF << /F 8 0 R >> >>] >> >>',
  objects: [
    '<< /Length 10 >>\nstream\n<xdp></xdp>\nendstream',
    '<< /Type /EmbeddedFile /Length 2 >>\nstream\nhi\nendstream',
  ],
});
