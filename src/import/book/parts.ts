import { shownAs } from './dates.ts';
import type { Shown } from './dates.ts';
import { attributesOf, createXmlReader } from './xml.ts';

/** A sheet as the workbook names it. */
interface SheetPart {
  name: string;
  isHidden: boolean;
  path: string;
}

type Element = readonly [name: string, attributes: ReadonlyMap<string, string>, within: string];

/** The elements of a small file in their order, each with the one that it stands in. */
function elementsOf(xml: string): Element[] {
  const elements: Element[] = [];
  const above: string[] = [];
  createXmlReader({
    open(name, attributes) {
      elements.push([name, attributesOf(attributes), above.at(-1) ?? '']);
      above.push(name);
    },
    close: () => void above.pop(),
    text: () => undefined,
  }).write(xml);
  return elements;
}

/** Where a target lies that a file of this folder names (ECMA-376 part 2, 6.2). */
const pathOf = (folder: string, target: string): string =>
  decodeURIComponent(new URL(target, `zip:/${folder}`).pathname).slice(1);

/** What a file of this folder refers to: paths by ids, with the last part of what they are. */
export function relationsOf(xml: string, folder: string): { id: string; kind: string; path: string }[] {
  return elementsOf(xml).flatMap(([name, attributes]) => {
    const target = attributes.get('Target');
    if (name !== 'Relationship' || target === undefined || attributes.get('TargetMode') === 'External')
      return [];
    const kind = (attributes.get('Type') ?? '').split('/').at(-1) ?? '';
    return [{ id: attributes.get('Id') ?? '', kind, path: pathOf(folder, target) }];
  });
}

const isOn = (value: string | undefined): boolean => value === '1' || value === 'true';

/** The sheets of a workbook in their order, those of charts left out, and from when it counts days. */
export function workbookOf(xml: string, sheetPaths: ReadonlyMap<string, string>) {
  const sheets: SheetPart[] = [];
  let is1904 = false;
  for (const [element, attributes] of elementsOf(xml)) {
    if (element === 'workbookPr') is1904 = isOn(attributes.get('date1904'));
    const path = element === 'sheet' ? sheetPaths.get(attributes.get('id') ?? '') : undefined;
    const isHidden = (attributes.get('state') ?? 'visible') !== 'visible';
    if (path !== undefined) sheets.push({ name: attributes.get('name') ?? '', isHidden, path });
  }
  return { sheets, is1904 };
}

/** By the number of a style of cells: as what it shows numbers. */
export function stylesIn(xml: string): Shown[] {
  const codes = new Map<number, string>();
  const formats: number[] = [];
  for (const [name, attributes, within] of elementsOf(xml)) {
    const id = Number(attributes.get('numFmtId') ?? 0);
    if (name === 'numFmt' && within === 'numFmts') codes.set(id, attributes.get('formatCode') ?? '');
    if (name === 'xf' && within === 'cellXfs') formats.push(id);
  }
  return formats.map((id) => shownAs(id, codes.get(id)));
}
