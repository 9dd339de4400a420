/** Small Office documents for tests. */
import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import { ZipFile } from 'yazl';

const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const SHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

/** A ZIP archive with these members. */
export function packFiles(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, content] of Object.entries(files))
    zip.addBuffer(Buffer.from(content), path, { mtime: new Date(1980, 0, 1) });
  zip.end();
  return buffer(zip.outputStream);
}

/** Text of a member of an archive. @throws Error if there is none */
export async function readMember(archive: Buffer, path: string): Promise<string> {
  return (await readMemberBytes(archive, path)).toString('utf8');
}

export async function readMemberBytes(archive: Buffer, path: string): Promise<Buffer> {
  const zip = await fromBufferPromise(archive, { lazyEntries: true });
  for await (const entry of zip.eachEntry())
    if (entry.fileName === path) return buffer(await zip.openReadStreamPromise(entry));
  throw new Error(`The archive has no ${path}`);
}

/** Names of the members of an archive. */
export async function listMembers(archive: Buffer): Promise<string[]> {
  const zip = await fromBufferPromise(archive, { lazyEntries: true });
  const names: string[] = [];
  for await (const entry of zip.eachEntry()) names.push(entry.fileName);
  return names;
}

const relations = (lines: string): string =>
  `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${lines}</Relationships>`;
const contentTypes = (lines: string): string =>
  `${DECLARATION}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${lines}</Types>`;
const part = (path: string, type: string): string =>
  `<Override PartName="/${path}" ContentType="${type}+xml"/>`;

/** A paragraph with its text divided into runs, as Word divides texts. */
export const paragraph = (...runs: string[]): string =>
  `<w:p>${runs.map((run) => `<w:r><w:t xml:space="preserve">${run}</w:t></w:r>`).join('')}</w:p>`;

/** A run with a picture (`word/media/image1.png`) in a frame of 100 by 50 points. */
export const pictureRun = (alternativeText: string): string =>
  `<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><wp:extent cx="1270000" cy="635000"/><wp:docPr id="1" name="Picture 1" descr="${alternativeText}"/><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:nvPicPr><pic:cNvPr id="0" name="image1.png"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="rId9"/><a:srcRect l="10000"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="1270000" cy="635000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`;

/** A text document with the picture that `pictureRun` shows. */
export function makeDocxWithPicture(body: string, picture: Buffer): Promise<Buffer> {
  const files = docxFiles(body);
  const type = '<Default Extension="png" ContentType="image/png"/>';
  return packFiles({
    ...files,
    '[Content_Types].xml': files['[Content_Types].xml']?.replace(/<Override/, `${type}<Override`) ?? '',
    'word/_rels/document.xml.rels': relations(
      `<Relationship Id="rId9" Type="${OFFICE}/image" Target="media/image1.png"/>`,
    ),
    'word/media/image1.png': picture,
  });
}

/** A row of a table with a paragraph in each cell. */
export const tableRow = (...cells: string[]): string =>
  `<w:tr>${cells.map((cell) => `<w:tc><w:tcPr/>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`;
export const table = (...rows: string[]): string => `<w:tbl><w:tblPr/><w:tblGrid/>${rows.join('')}</w:tbl>`;

/** Members of a text document; `header` is the text of its header. */
export function docxFiles(body: string, { header }: { header?: string } = {}): Record<string, string> {
  const namespaces = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${OFFICE}"`;
  const reference = header === undefined ? '' : '<w:headerReference w:type="default" r:id="rId1"/>';
  return {
    '[Content_Types].xml': contentTypes(
      part('word/document.xml', `${WORD}.document.main`) +
        (header === undefined ? '' : part('word/header1.xml', `${WORD}.header`)),
    ),
    '_rels/.rels': relations(
      `<Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/>`,
    ),
    'word/document.xml': `${DECLARATION}<w:document ${namespaces}><w:body>${body}<w:sectPr>${reference}<w:pgSz w:w="11906" w:h="16838"/></w:sectPr></w:body></w:document>`,
    ...(header !== undefined && {
      'word/header1.xml': `${DECLARATION}<w:hdr ${namespaces}>${paragraph(header)}</w:hdr>`,
      'word/_rels/document.xml.rels': relations(
        `<Relationship Id="rId1" Type="${OFFICE}/header" Target="header1.xml"/>`,
      ),
    }),
  };
}

export const makeDocx = (body: string, options?: { header?: string }): Promise<Buffer> =>
  packFiles(docxFiles(body, options));

/** A cell of a test workbook: a text, a formula `=A1`, or a number. */
type TestCell = string | number;

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Members of a workbook with one worksheet; texts are shared, as Excel writes them. Style 1 shows days. */
export function xlsxFiles(
  rows: readonly (readonly TestCell[])[],
  { tail = '', style }: { tail?: string; style?: (column: number, row: number) => number | undefined } = {},
): Record<string, string> {
  const texts: string[] = [];
  const toCell = (cell: TestCell, column: number, row: number): string => {
    const number = style?.(column, row);
    const at = ` r="${String.fromCharCode(65 + column)}${row + 1}"${number === undefined ? '' : ` s="${number}"`}`;
    if (typeof cell === 'number') return `<c${at}><v>${cell}</v></c>`;
    if (cell.startsWith('=')) return `<c${at}><f>${escape(cell.slice(1))}</f><v>0</v></c>`;
    texts.push(cell);
    return `<c${at} t="s"><v>${texts.length - 1}</v></c>`;
  };
  const data = rows
    .map(
      (cells, row) => `<row r="${row + 1}">${cells.map((cell, at) => toCell(cell, at, row)).join('')}</row>`,
    )
    .join('');
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  return {
    '[Content_Types].xml': contentTypes(
      part('xl/workbook.xml', `${SHEET}.sheet.main`) +
        part('xl/worksheets/sheet1.xml', `${SHEET}.worksheet`) +
        part('xl/styles.xml', `${SHEET}.styles`) +
        part('xl/sharedStrings.xml', `${SHEET}.sharedStrings`),
    ),
    '_rels/.rels': relations(
      `<Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/>`,
    ),
    'xl/workbook.xml': `${DECLARATION}<workbook ${main} xmlns:r="${OFFICE}"><sheets><sheet name="List" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      `<Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${OFFICE}/styles" Target="styles.xml"/><Relationship Id="rId3" Type="${OFFICE}/sharedStrings" Target="sharedStrings.xml"/>`,
    ),
    'xl/styles.xml': `${DECLARATION}<styleSheet ${main}><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `${DECLARATION}<sst ${main}>${texts.map((text) => `<si><t xml:space="preserve">${escape(text)}</t></si>`).join('')}</sst>`,
    'xl/worksheets/sheet1.xml': `${DECLARATION}<worksheet ${main}><dimension ref="A1"/><sheetData>${data}</sheetData>${tail}</worksheet>`,
  };
}

export const makeXlsx = (...options: Parameters<typeof xlsxFiles>): Promise<Buffer> =>
  packFiles(xlsxFiles(...options));
