import { getNumberKind } from './dates.ts';
import type { NumberKind } from './dates.ts';
import { createXmlReader, getLocalName } from './xml-reader.ts';
import type { Attributes } from './xml-reader.ts';

/** A sheet listed in the workbook. */
interface SheetPart {
  name: string;
  isHidden: boolean;
  path: string;
}

type Element = readonly [name: string, attributes: Attributes, within: string];

/** Parses the elements of a small file in order, each with its parent; empty for an empty file. */
function parseElements(xml: string): Element[] {
  const elements: Element[] = [];
  const above: string[] = [];
  const reader = createXmlReader({
    open(name, attributes) {
      elements.push([name, attributes, above.at(-1) ?? '']);
      above.push(name);
    },
    close: () => void above.pop(),
    text: () => undefined,
  });
  if (xml !== '') {
    reader.write(xml);
    reader.end();
  }
  return elements;
}

/** Resolves a target relative to the folder of the file that names it (ECMA-376 part 2, 6.2). */
const resolvePath = (folder: string, target: string): string =>
  decodeURIComponent(new URL(target, `zip:/${folder}`).pathname).slice(1);

/** Parses the relations of a file: id, kind (last segment of the type) and path. */
export function parseRelations(xml: string, folder: string): { id: string; kind: string; path: string }[] {
  return parseElements(xml).flatMap(([name, attributes]) => {
    const target = attributes.Target;
    if (name !== 'Relationship' || target === undefined || attributes.TargetMode === 'External') return [];
    const kind = (attributes.Type ?? '').split('/').at(-1) ?? '';
    return [{ id: attributes.Id ?? '', kind, path: resolvePath(folder, target) }];
  });
}

/** Returns the relation id of a sheet, an attribute in another namespace. */
const getRelationId = (attributes: Attributes): string =>
  Object.entries(attributes).find(([name]) => getLocalName(name) === 'id')?.[1] ?? '';

const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true';

/** Parses the sheets of a workbook in order, without chart sheets, and its date system. */
export function parseWorkbook(xml: string, sheetPaths: ReadonlyMap<string, string>) {
  const sheets: SheetPart[] = [];
  let is1904 = false;
  for (const [element, attributes] of parseElements(xml)) {
    if (element === 'workbookPr') is1904 = isTrue(attributes.date1904);
    const path = element === 'sheet' ? sheetPaths.get(getRelationId(attributes)) : undefined;
    const isHidden = (attributes.state ?? 'visible') !== 'visible';
    if (path !== undefined) sheets.push({ name: attributes.name ?? '', isHidden, path });
  }
  return { sheets, is1904 };
}

/** Parses what each cell style shows numbers as, by style index. */
export function parseNumberKinds(xml: string): NumberKind[] {
  const codes = new Map<number, string>();
  const formats: number[] = [];
  for (const [name, attributes, within] of parseElements(xml)) {
    const id = Number(attributes.numFmtId ?? 0);
    if (name === 'numFmt' && within === 'numFmts') codes.set(id, attributes.formatCode ?? '');
    if (name === 'xf' && within === 'cellXfs') formats.push(id);
  }
  return formats.map((id) => getNumberKind(id, codes.get(id)));
}
