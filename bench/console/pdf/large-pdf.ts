import { randomBytes } from 'node:crypto';

const WIDTH = 256;
const HEIGHT = 256;

/** A file of about `megabytes` MB: each page has a line of text and an image that cannot be compressed. The table is at the end. */
export function buildLargePdf(megabytes: number): Buffer {
  const image = WIDTH * HEIGHT * 3;
  const count = Math.ceil((megabytes * 1_000_000) / image);
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const add = (id: number, ...content: (string | Buffer)[]) => {
    offsets[id] = length;
    const bytes = Buffer.concat([`${id} 0 obj\n`, ...content, '\nendobj\n'].map((part) => Buffer.from(part)));
    parts.push(bytes);
    length += bytes.length;
  };
  const first = 4;
  const pages = Array.from({ length: count }, (_, at) => first + at * 3);
  add(1, '<< /Type /Catalog /Pages 2 0 R >>');
  add(2, `<< /Type /Pages /Count ${count} /Kids [${pages.map((id) => `${id} 0 R`).join(' ')}] >>`);
  add(3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  for (const [at, id] of pages.entries()) {
    const content = `BT /F 18 Tf 72 760 Td (Page ${at + 1} of ${count}) Tj ET q 400 0 0 400 72 300 cm /I Do Q`;
    add(
      id,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${id + 1} 0 R ` +
        `/Resources << /Font << /F 3 0 R >> /XObject << /I ${id + 2} 0 R >> >> >>`,
    );
    add(id + 1, `<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
    add(
      id + 2,
      `<< /Type /XObject /Subtype /Image /Width ${WIDTH} /Height ${HEIGHT} /ColorSpace /DeviceRGB /BitsPerComponent 8 ` +
        `/Length ${image} >>\nstream\n`,
      randomBytes(image),
      '\nendstream',
    );
  }
  const rows = offsets.slice(1).map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  const table =
    `xref\n0 ${offsets.length}\n0000000000 65535 f \n${rows.join('')}` +
    `trailer\n<< /Size ${offsets.length} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(table)]);
}
