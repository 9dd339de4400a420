import { cutText } from '../cut-text.ts';

/** Maximum rows of an XLSX worksheet including the heading (ECMA-376); further rows go to another worksheet. */
export const MAX_SHEET_ROWS = 1_048_576;

const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN_NAMESPACE = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE_NAMESPACE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE_NAMESPACE = 'http://schemas.openxmlformats.org/package/2006';
const SPREADSHEET_MEDIA_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

export const WORKBOOK_MEDIA_TYPE = `${SPREADSHEET_MEDIA_TYPE}.sheet`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escapeXml = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? '');

/** Cell formats by index in the style list. */
export const CELL_STYLE = { plain: 0, heading: 1, moment: 2, day: 3, whole: 4 } as const;

const STYLES = `${XML_DECLARATION}<styleSheet xmlns="${MAIN_NAMESPACE}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="5"><xf/><xf fontId="1" applyFont="1"/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/><xf numFmtId="1" applyNumberFormat="1"/></cellXfs></styleSheet>`;

/** Formats the start of a sheet: the frozen heading, if any, and the column widths. */
export const formatSheetStart = (widths: readonly number[], hasHeading: boolean): string => {
  const cols = widths.map(
    (width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`,
  );
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  return `${XML_DECLARATION}<worksheet xmlns="${MAIN_NAMESPACE}"><sheetViews><sheetView workbookViewId="0">${hasHeading ? pane : ''}</sheetView></sheetViews><cols>${cols.join('')}</cols><sheetData>`;
};
export const SHEET_END = '</sheetData></worksheet>';

const MAX_SHEET_NAME_LENGTH = 31;
// oxlint-disable-next-line no-control-regex -- control characters are invalid in sheet names
const INVALID_NAME_CHARACTERS = /[\\/?*[\]:\0-\x1f\x7f\ufffe\uffff]/g;
const truncateName = (name: string, maxLength: number): string => cutText(name, maxLength).replace(/'+$/, '');

/** Makes sheet names valid and unique. */
function toSheetNames(names: readonly string[]): string[] {
  // Reserved by Excel.
  const taken = new Set<string>(['history']);
  return names.map((name) => {
    const plain =
      truncateName(name.replaceAll(INVALID_NAME_CHARACTERS, ' ').replace(/^'+/, ''), MAX_SHEET_NAME_LENGTH) ||
      'Sheet';
    let uniqueName = plain;
    for (let at = 2; taken.has(uniqueName.toLowerCase()); at += 1)
      uniqueName = `${truncateName(plain, MAX_SHEET_NAME_LENGTH - String(at).length - 1)} ${at}`;
    taken.add(uniqueName.toLowerCase());
    return uniqueName;
  });
}

export const getSheetPath = (at: number): string => `xl/worksheets/sheet${at + 1}.xml`;

/** Builds the files of a workbook other than its sheets (ECMA-376 part 1, 12.3). */
export function buildWorkbookFiles(
  names: readonly string[],
): readonly (readonly [path: string, text: string])[] {
  const sheets = toSheetNames(names);
  const each = (line: (at: number, name: string) => string) =>
    sheets.map((name, at) => line(at + 1, name)).join('');
  const relations = (lines: string) =>
    `${XML_DECLARATION}<Relationships xmlns="${PACKAGE_NAMESPACE}/relationships">${lines}</Relationships>`;
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${OFFICE_NAMESPACE}/${type}" Target="${target}"/>`;
  return [
    [
      '[Content_Types].xml',
      `${XML_DECLARATION}<Types xmlns="${PACKAGE_NAMESPACE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${SPREADSHEET_MEDIA_TYPE}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${SPREADSHEET_MEDIA_TYPE}.styles+xml"/>${each((at) => `<Override PartName="/xl/worksheets/sheet${at}.xml" ContentType="${SPREADSHEET_MEDIA_TYPE}.worksheet+xml"/>`)}</Types>`,
    ],
    ['_rels/.rels', relations(relation('rId1', 'officeDocument', 'xl/workbook.xml'))],
    [
      'xl/workbook.xml',
      `${XML_DECLARATION}<workbook xmlns="${MAIN_NAMESPACE}" xmlns:r="${OFFICE_NAMESPACE}"><bookViews><workbookView/></bookViews><sheets>${each((at, name) => `<sheet name="${escapeXml(name)}" sheetId="${at}" r:id="rId${at}"/>`)}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      relations(
        each((at) => relation(`rId${at}`, 'worksheet', `worksheets/sheet${at}.xml`)) +
          relation(`rId${sheets.length + 1}`, 'styles', 'styles.xml'),
      ),
    ],
    ['xl/styles.xml', STYLES],
  ];
}
