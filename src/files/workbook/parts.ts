import { shownAs } from './dates.ts';
import type { Shown } from './dates.ts';
import { createXmlReader, localName } from './xml.ts';
import type { Attributes } from './xml.ts';

/** A sheet as the workbook names it. */
interface SheetPart {
  name: string;
  isHidden: boolean;
  path: string;
}

type Element = readonly [name: string, attributes: Attributes, within: string];

/** The elements of a small file in their order, each with the one that it stands in; none where there is no file. */
function elementsOf(xml: string): Element[] {
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

/** Where a target lies that a file of this folder names (ECMA-376 part 2, 6.2). */
const pathOf = (folder: string, target: string): string =>
  decodeURIComponent(new URL(target, `zip:/${folder}`).pathname).slice(1);

/** What a file of this folder refers to: paths by ids, with the last part of what they are. */
export function relationsOf(xml: string, folder: string): { id: string; kind: string; path: string }[] {
  return elementsOf(xml).flatMap(([name, attributes]) => {
    const target = attributes.Target;
    if (name !== 'Relationship' || target === undefined || attributes.TargetMode === 'External') return [];
    const kind = (attributes.Type ?? '').split('/').at(-1) ?? '';
    return [{ id: attributes.Id ?? '', kind, path: pathOf(folder, target) }];
  });
}

/** What a sheet is to the workbook: told by an attribute of another namespace. */
const relationIn = (attributes: Attributes): string =>
  Object.entries(attributes).find(([name]) => localName(name) === 'id')?.[1] ?? '';

const isOn = (value: string | undefined): boolean => value === '1' || value === 'true';

/** The sheets of a workbook in their order, those of charts left out, and from when it counts days. */
export function workbookOf(xml: string, sheetPaths: ReadonlyMap<string, string>) {
  const sheets: SheetPart[] = [];
  let is1904 = false;
  for (const [element, attributes] of elementsOf(xml)) {
    if (element === 'workbookPr') is1904 = isOn(attributes.date1904);
    const path = element === 'sheet' ? sheetPaths.get(relationIn(attributes)) : undefined;
    const isHidden = (attributes.state ?? 'visible') !== 'visible';
    if (path !== undefined) sheets.push({ name: attributes.name ?? '', isHidden, path });
  }
  return { sheets, is1904 };
}

/** By the number of a style of cells: as what it shows numbers. */
export function stylesIn(xml: string): Shown[] {
  const codes = new Map<number, string>();
  const formats: number[] = [];
  for (const [name, attributes, within] of elementsOf(xml)) {
    const id = Number(attributes.numFmtId ?? 0);
    if (name === 'numFmt' && within === 'numFmts') codes.set(id, attributes.formatCode ?? '');
    if (name === 'xf' && within === 'cellXfs') formats.push(id);
  }
  return formats.map((id) => shownAs(id, codes.get(id)));
}
