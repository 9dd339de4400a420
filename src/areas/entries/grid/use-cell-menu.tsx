import { ExternalLink, Link2, Rows2 } from 'lucide-react';
import { Suspense, useRef, useState } from 'react';
import type { MouseEvent } from 'react';
import { useShortcut } from '../../../app/shell/shortcuts.ts';
import type { Shortcut } from '../../../app/shell/shortcuts.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { later } from '../../../ui/later.ts';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import type { EntryColumn } from '../model/columns.ts';
import type { EntryRows } from '../model/rows.ts';
import type { Pointed } from '../model/view.ts';
import { entryPath } from './EntryLink.tsx';
import type { Cell } from './keys.ts';
import { nameIn } from './sheet.ts';
import { placeOf } from './use-sheet.ts';

const MenuPopup = later(() => import('../../../ui/menu/MenuPopup.tsx'));

interface CellMenu {
  rows: EntryRows;
  columns: readonly EntryColumn[];
  type: string;
  current: Cell;
  /** Undefined where the list has no such addresses. */
  linkTo: ((pointed: Pointed) => string) | undefined;
}

const KEYS: readonly Shortcut[] = [{ keys: 'mod+.', label: 'Copy a link to the cell', group: 'In the grid' }];
const NO_KEYS: readonly Shortcut[] = [];
const UNSAVED = 'A new entry has an address once it is saved';

async function copyLink(href: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(href);
    toast({ title: `Copied a link to ${what}`, tone: 'ok' });
  } catch {
    toast({ title: 'The browser does not allow copying here', tone: 'bad' });
  }
}

/** What can be had of a cell besides its value: links that lead back to it. */
export function useCellMenu({ rows, columns, type, current, linkTo }: CellMenu) {
  const anchor = useRef<HTMLElement>(null);
  const [at, setAt] = useState<Cell>();
  const copy = (cell: Cell, isRow: boolean) => {
    const row = rows.at(cell.row);
    const field = isRow ? undefined : columns[cell.column]?.field;
    if (!row || !linkTo) return;
    if (row.EntryId < 0) {
      toast({ title: UNSAVED, tone: 'bad' });
      return;
    }
    const href = linkTo({ entryId: row.EntryId, field: field?.apiName ?? '' });
    void copyLink(href, field ? `${field.name} of ${nameIn(row, columns)}` : nameIn(row, columns));
  };
  useShortcut(linkTo ? KEYS : NO_KEYS, () => copy({ ...current, row: Math.max(0, current.row) }, false));
  const onContextMenu = (event: MouseEvent) => {
    const cell = placeOf(event.target);
    // Links and what is being edited have the menus of the browser.
    const isOther = event.target instanceof Element && event.target.closest('a[href], .eg-editing');
    if (!linkTo || !cell || isOther || !rows.at(cell.row)) return;
    event.preventDefault();
    anchor.current = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-row]') : null;
    setAt(cell);
  };
  const row = at && rows.at(at.row);
  const menu = at && row && (
    <Suspense>
      <MenuPopup
        label={`Cell of ${nameIn(row, columns)}`}
        anchor={anchor}
        align="start"
        items={itemsOf(row.EntryId < 0)}
        onClose={() => setAt(undefined)}
      />
    </Suspense>
  );
  return { onContextMenu, menu };

  function itemsOf(isNew: boolean): MenuItems {
    const links = [
      { label: 'Copy link to this cell', icon: Link2, onSelect: () => at && copy(at, false) },
      { label: 'Copy link to this row', icon: Rows2, onSelect: () => at && copy(at, true) },
    ];
    if (isNew) return links.map((item) => ({ ...item, disabledReason: UNSAVED }));
    return [
      ...links,
      'line',
      { label: 'Open the entry', icon: ExternalLink, href: entryPath(type, row?.EntryId ?? 0) },
    ];
  }
}
